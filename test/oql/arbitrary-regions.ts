// Regions of small documents for generated queries. Members are often missing, null or of an
// unexpected kind, and their values come from small pools, so that joins and groups find partners.

import fc from 'fast-check';
import type { MemoryRegions } from '../../src/oql/reference/testing/memory-source.ts';

/** JSON text, so that 1 and 1.0, and integers beyond doubles, stay what they are. */
type JsonText = string;

const numbers: fc.Arbitrary<JsonText> = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: -2, max: 6 }).map(String) },
  { weight: 3, arbitrary: fc.constantFrom('0.0', '-0.0', '1.0', '2.50', '1e2', '3.0') },
  {
    weight: 1,
    arbitrary: fc.constantFrom('9007199254740992', '9007199254740993', '12345678901234567890123'),
  },
);

const texts: fc.Arbitrary<JsonText> = fc
  .constantFrom('', 'a', 'b', 'abc', 'a%c', 'Zürich', '😀', '1')
  .map((text) => JSON.stringify(text));

const scalars = fc.oneof(
  { weight: 4, arbitrary: numbers },
  { weight: 3, arbitrary: texts },
  { weight: 1, arbitrary: fc.constantFrom('true', 'false', 'null') },
);

/** Mostly of the kind its name promises, now and then something else. */
function mostly(usual: fc.Arbitrary<JsonText>): fc.Arbitrary<JsonText> {
  return fc.oneof(
    { weight: 9, arbitrary: usual },
    { weight: 1, arbitrary: fc.constant('null') },
    {
      weight: 1,
      arbitrary: scalars,
    },
  );
}

function documents(
  members: Readonly<Record<string, fc.Arbitrary<JsonText>>>,
): fc.Arbitrary<JsonText> {
  return fc.record({ ...members }, { requiredKeys: [] }).map(
    (found) =>
      `{${Object.entries(found)
        .map(([name, text]) => `"${name}":${text}`)
        .join()}}`,
  );
}

function lists(items: fc.Arbitrary<JsonText>): fc.Arbitrary<JsonText> {
  return fc.array(items, { maxLength: 3 }).map((found) => `[${found.join()}]`);
}

const values = documents({
  id: fc.integer({ min: 0, max: 5 }).map(String),
  n: mostly(numbers),
  s: mostly(texts),
  f: mostly(fc.constantFrom('true', 'false')),
  tags: mostly(lists(scalars)),
  inner: mostly(documents({ x: mostly(numbers), y: mostly(texts) })),
  items: mostly(lists(documents({ q: mostly(numbers), p: mostly(texts) }))),
});

const region = fc.array(values, { maxLength: 7 }).map((texts) => ({
  entries: texts.map((value, index) => ({ key: `k${index}`, value })),
}));

/** The regions `a` and `b`. */
export const arbitraryRegions: fc.Arbitrary<MemoryRegions> = fc.record({ a: region, b: region });
