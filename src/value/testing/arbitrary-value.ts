// Values of every kind, for property tests. Small alphabets make equal values likely.

import fc from 'fast-check';
import { createSet } from '../compare.ts';
import {
  Char,
  Document,
  Double,
  Entry,
  Float,
  Struct,
  Temporal,
  UNDEFINED,
  type Value,
} from '../value.ts';

const scalars: fc.Arbitrary<Value> = fc.oneof(
  fc.constantFrom<Value>(null, UNDEFINED, true, false, '', 'a', 'b', 'á'),
  fc.integer({ min: -3, max: 3 }),
  fc.bigInt({ min: 2n ** 53n, max: 2n ** 53n + 3n }),
  fc.constantFrom(0, -0, 1, 1.5, Number.NaN, 2 ** 53).map((value) => new Double(value)),
  fc.constantFrom(1, 1.5, 1.1).map((value) => new Float(value)),
  fc.constantFrom('a', 'b').map((unit) => new Char(unit)),
  fc.integer({ min: 0, max: 2 }).map((ms) => new Temporal('instant', ms)),
);

const names = fc.constantFrom('a', 'b', '__proto__');

/** Nested at most a few levels deep. */
export const arbitraryValue: fc.Arbitrary<Value> = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2, depthSize: 'small' },
    scalars,
    fc.array(tie('value'), { maxLength: 2 }),
    fc.array(tie('value'), { maxLength: 2 }).map((items) => createSet(items)),
    fc
      .array(fc.tuple(names, tie('value')), { maxLength: 2 })
      .map((members) => new Document(new Map(members))),
    fc.tuple(tie('value'), tie('value')).map(([key, value]) => new Entry(key, value)),
    fc.tuple(names, tie('value')).map(([name, value]) => new Struct([name], [value])),
  ),
})).value;
