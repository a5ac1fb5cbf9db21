import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import fc from 'fast-check';
import { equalJson } from './json-equal.ts';
import { applyJsonPatch, type PatchOutcome, parseJsonPatch } from './json-patch.ts';
import { applyMergePatch } from './merge-patch.ts';

const LIMITS = { maxOperations: 100, maxReadLength: 10_000 };

interface PublishedCase {
  readonly comment?: string;
  readonly doc: unknown;
  readonly patch: unknown;
  readonly expected?: unknown;
  readonly error?: string;
  readonly disabled?: boolean;
}

/** The suite that RFC 6902's authors publish. */
const require = createRequire(import.meta.url);
const published: readonly PublishedCase[] = [
  ...(require('json-patch-test-suite/tests.json') as readonly PublishedCase[]),
  ...(require('json-patch-test-suite/spec_tests.json') as readonly PublishedCase[]),
];

function apply(doc: string, patch: string): PatchOutcome {
  const operations = parseJsonPatch(patch, LIMITS);
  if (typeof operations === 'string') return { kind: 'failed', operation: -1, reason: operations };
  return applyJsonPatch(doc, operations, LIMITS);
}

test('the published suite passes', () => {
  const cases = published.filter(({ disabled }) => disabled !== true);
  assert.ok(cases.length > 85);
  for (const { comment, doc, error, expected, patch } of cases) {
    const outcome = apply(JSON.stringify(doc), JSON.stringify(patch));
    const name = `${comment ?? ''} ${JSON.stringify(patch)}`;
    if (error === undefined) {
      assert.ok(outcome.kind === 'applied', name + JSON.stringify(outcome));
      if (expected !== undefined) assert.deepEqual(JSON.parse(outcome.text), expected, name);
    } else assert.equal(outcome.kind, 'failed', name);
  }
});

test('values that no operation changes keep their text', () => {
  const doc = '{"\\u0061":20.0,"b":[1e2,{"n":9007199254740993}],"c":"\\u00e9\\/"}';
  const patch =
    '[{"op":"add","path":"/b/1/m","value":1.50},{"op":"move","from":"/b/0","path":"/d"}]';
  assert.deepEqual(apply(doc, patch), {
    kind: 'applied',
    text: '{"\\u0061":20.0,"b":[{"n":9007199254740993,"m":1.50}],"c":"\\u00e9\\/","d":1e2}',
  });
  assert.deepEqual(apply(doc, '[{"op":"replace","path":"/a","value":1}]'), {
    kind: 'applied',
    text: '{"\\u0061":1,"b":[1e2,{"n":9007199254740993}],"c":"\\u00e9\\/"}',
  });
});

test('test compares by value, and a failure names its operation', () => {
  const patch = '[{"op":"test","path":"","value":{"a":1}},{"op":"test","path":"/a","value":2}]';
  assert.deepEqual(apply('{"a":1.0}', patch), {
    kind: 'failed',
    operation: 1,
    reason: '/a has another value',
  });
});

test('copies of copies and many operations are bounded', () => {
  const copies = Array.from({ length: 60 }, (_, i) => ({ op: 'copy', from: '', path: `/c${i}` }));
  const outcome = apply('{"a":1}', JSON.stringify(copies));
  assert.ok(outcome.kind === 'failed' && outcome.operation > 5, JSON.stringify(outcome));
  const many = JSON.stringify(Array.from({ length: 101 }, () => ({ op: 'remove', path: '/a' })));
  assert.equal(parseJsonPatch(many, LIMITS), 'A JSON Patch has at most 100 operations');
});

test('an invalid patch is refused with the operation and a reason', () => {
  const cases: readonly (readonly [string, RegExp])[] = [
    ['{}', /array of operations/],
    ['[7]', /Operation 0: it is not an object/],
    ['[{"op":"spam","path":""}]', /op must be one of/],
    ['[{"op":"add","path":"a","value":1}]', /JSON Pointer/],
    ['[{"op":"add","path":"/~2","value":1}]', /JSON Pointer/],
    ['[{"op":"add","path":"/a"}]', /add needs a value/],
    ['[{"op":"move","path":"/a"}]', /from of move/],
  ];
  for (const [patch, reason] of cases) assert.match(String(parseJsonPatch(patch, LIMITS)), reason);
});

test('a merge patch gives the results of RFC 7396', () => {
  const cases: readonly (readonly [string, string, string])[] = [
    ['{"a":"b"}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'],
    ['{"a":"b"}', '{"a":null}', '{}'],
    ['{"a":"b","b":"c"}', '{"a":null}', '{"b":"c"}'],
    ['{"a":["b"]}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"c"}', '{"a":["b"]}', '{"a":["b"]}'],
    ['{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', '{"a":{"b":"d"}}'],
    ['{"a":[{"b":"c"}]}', '{"a":[1]}', '{"a":[1]}'],
    ['["a","b"]', '["c","d"]', '["c","d"]'],
    ['{"a":"b"}', '["c"]', '["c"]'],
    ['{"a":"foo"}', 'null', 'null'],
    ['{"a":"foo"}', '"bar"', '"bar"'],
    ['{"e":null}', '{"a":1}', '{"e":null,"a":1}'],
    ['[1,2]', '{"a":"b","c":null}', '{"a":"b"}'],
    ['{}', '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{}}}'],
    ['{"n":20.0,"\\u0061":{"x":1e2}}', '{"a":{"y":1}}', '{"n":20.0,"\\u0061":{"x":1e2,"y":1}}'],
  ];
  for (const [target, patch, expected] of cases) {
    assert.equal(applyMergePatch(target, patch), expected, `${target} ${patch}`);
  }
});

/** The pseudocode of RFC 7396, over parsed values. */
function mergeSlowly(target: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch;
  const merged = new Map(isRecord(target) ? Object.entries(target) : []);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name);
    else merged.set(name, mergeSlowly(merged.get(name), value));
  }
  return Object.fromEntries(merged);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

test('a merge patch agrees with the pseudocode of its RFC', () => {
  const json = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(null, 1, 'x', true),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('value'), { noNullPrototype: true }),
    ),
  })).value;
  fc.assert(
    fc.property(json, json, (target, patch) => {
      const merged = applyMergePatch(JSON.stringify(target), JSON.stringify(patch));
      assert.ok(equalJson(merged, JSON.stringify(mergeSlowly(target, patch))));
    }),
  );
});
