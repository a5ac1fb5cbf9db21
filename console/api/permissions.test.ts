// The console and the service agree on what a login may do.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Need, PermissionSet, parsePermission } from '../../src/http/auth/permission.ts';
import { shareOfRuns } from '../../src/value/testing/share-of-runs.ts';
import { Permissions } from './permissions.ts';

const part = fc.constantFrom('orders', 'items', '*', 'a:b', '7');
const grant = fc.oneof(
  fc.constantFrom('*', 'DATA', 'QUERY', 'CLUSTER', 'CLUSTER:READ', 'QUERY:MANAGE', 'DATA:*'),
  fc
    .tuple(fc.constantFrom('DATA:READ', 'DATA:WRITE', 'DATA:*'), part)
    .map((parts) => parts.join(':')),
  fc.tuple(fc.constantFrom('DATA:READ', 'DATA:*'), part, part).map((parts) => parts.join(':')),
  part.map((id) => `QUERY:RUN:${id}`),
);
const need: fc.Arbitrary<Need> = fc.oneof(
  fc.tuple(fc.constant('DATA'), fc.constantFrom('READ', 'WRITE'), part),
  fc.tuple(fc.constant('DATA'), fc.constantFrom('READ', 'WRITE'), part, part),
  fc.tuple(fc.constant('QUERY'), fc.constantFrom('RUN', 'MANAGE')),
  fc.tuple(fc.constant('QUERY'), fc.constant('RUN'), part),
  fc.tuple(fc.constant('CLUSTER'), fc.constantFrom('READ', 'MANAGE')),
);

test('permissions that the service prints mean the same in the console', () => {
  let allowed = 0;
  fc.assert(
    fc.property(fc.array(grant, { maxLength: 4 }), need, (texts, wanted) => {
      const parsed = texts.flatMap((text) => {
        const outcome = parsePermission(text);
        return outcome.kind === 'parsed' ? [outcome.parts] : [];
      });
      const inService = new PermissionSet(parsed);
      const inConsole = new Permissions(inService.list());
      assert.equal(inConsole.allows(wanted), inService.allows(wanted));
      assert.equal(inConsole.allowsSome(wanted), inService.allowsSome(wanted));
      if (inService.allows(wanted)) allowed += 1;
    }),
    { numRuns: shareOfRuns(5_000) },
  );
  assert.ok(allowed > 50, `only ${allowed} needs were allowed`);
});
