import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Need, PermissionSet, parsePermission } from './permission.ts';

function grant(...texts: readonly string[]): PermissionSet {
  return new PermissionSet(
    texts.map((text) => {
      const permission = parsePermission(text);
      assert.ok(permission.kind === 'parsed', text);
      return permission.parts;
    }),
  );
}

test('a shorter permission covers every longer one, and never the other way round', () => {
  const whole = grant('DATA:READ:orders');
  assert.equal(whole.allows(['DATA', 'READ', 'orders']), true);
  assert.equal(whole.allows(['DATA', 'READ', 'orders', '7']), true);
  assert.equal(whole.allows(['DATA', 'READ', 'order']), false);
  assert.equal(whole.allows(['DATA', 'WRITE', 'orders', '7']), false);
  const one = grant('DATA:READ:orders:7');
  assert.equal(one.allows(['DATA', 'READ', 'orders', '7']), true);
  assert.equal(one.allows(['DATA', 'READ', 'orders', '70']), false);
  assert.equal(one.allows(['DATA', 'READ', 'orders']), false);
});

test('a star stands for any one part', () => {
  assert.equal(grant('DATA:*:orders').allows(['DATA', 'WRITE', 'orders', '1']), true);
  assert.equal(grant('DATA:*:orders').allows(['DATA', 'WRITE', 'items']), false);
  assert.equal(grant('DATA:READ:*:7').allows(['DATA', 'READ', 'items', '7']), true);
  assert.equal(grant('DATA:READ:*:7').allows(['DATA', 'READ', 'items']), false);
  assert.equal(grant('DATA:READ:orders:*').allows(['DATA', 'READ', 'orders']), true);
  assert.equal(grant('*').allows(['CLUSTER', 'MANAGE']), true);
  assert.equal(grant('CLUSTER:*').allows(['CLUSTER', 'MANAGE']), true);
  assert.equal(grant().allows(['CLUSTER', 'READ']), false);
});

test('a star in a requested permission is literal', () => {
  assert.equal(grant('DATA:READ:orders:7').allows(['DATA', 'READ', 'orders', '*']), false);
  assert.equal(grant('DATA:READ:orders').allows(['DATA', 'READ', '*']), false);
  assert.equal(grant('QUERY:RUN:q').allows(['QUERY', 'RUN', '*']), false);
});

test('keys and query ids may contain colons', () => {
  const set = grant('DATA:READ:orders:a:b', 'QUERY:RUN:x:y');
  assert.equal(set.allows(['DATA', 'READ', 'orders', 'a:b']), true);
  assert.equal(set.allows(['DATA', 'READ', 'orders', 'a']), false);
  assert.equal(set.allows(['QUERY', 'RUN', 'x:y']), true);
  assert.equal(set.allows(['QUERY', 'RUN', 'x']), false);
});

test('a single key makes its region visible, and no other', () => {
  const set = grant('DATA:READ:orders:7');
  assert.equal(set.allowsSome(['DATA', 'READ', 'orders']), true);
  assert.equal(set.allowsSome(['DATA']), true);
  assert.equal(set.allowsSome(['DATA', 'READ', 'items']), false);
  assert.equal(set.allowsSome(['QUERY', 'RUN']), false);
});

test('malformed permissions are refused with a reason', () => {
  for (const [text, reason] of [
    ['', /must begin with DATA, QUERY, CLUSTER/],
    ['data:read', /must begin with/],
    ['*:READ', /must begin with/],
    ['__proto__', /must begin with/],
    ['DATA:DELETE', /after DATA comes READ, WRITE, \*/],
    ['DATA:constructor', /after DATA comes/],
    ['DATA:', /after DATA comes/],
    ['DATA:READ:', /has an empty part/],
    ['DATA:READ::7', /has an empty part/],
    ['QUERY:MANAGE:x', /nothing follows QUERY:MANAGE/],
    ['CLUSTER:READ:x', /nothing follows CLUSTER:READ/],
  ] as const) {
    const permission = parsePermission(text);
    assert.ok(permission.kind === 'refused', text);
    assert.match(permission.reason, reason);
  }
});

test('a set allows exactly what one of its permissions covers', () => {
  const region = fc.constantFrom('a', 'b', '*');
  const key = fc.constantFrom('1', '2', '1:2', '*');
  const action = fc.constantFrom('READ', 'WRITE', '*');
  const text = fc
    .tuple(action, fc.option(region, { nil: undefined }), fc.option(key, { nil: undefined }))
    .map(([verb, first, second]) =>
      ['DATA', verb, first, first === undefined ? undefined : second]
        .filter((part) => part !== undefined)
        .join(':'),
    );
  const need = fc
    .tuple(fc.constantFrom('READ', 'WRITE'), fc.constantFrom('a', 'b', 'c'), key)
    .map(([verb, name, k]): Need => ['DATA', verb, name, k]);
  /** Compares part by part; the last part takes the rest. */
  const coversPlainly = (granted: string, needed: Need): boolean => {
    const [domain, verb, name, ...rest] = granted.split(':');
    const parts = [domain, verb, name, rest.length === 0 ? undefined : rest.join(':')];
    return parts.every((part, i) => part === undefined || part === '*' || part === needed[i]);
  };
  fc.assert(
    fc.property(fc.array(text, { maxLength: 5 }), need, (texts, needed) => {
      const expected = texts.some((granted) => coversPlainly(granted, needed));
      assert.equal(grant(...texts).allows(needed), expected);
    }),
  );
});
