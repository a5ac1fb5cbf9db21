// The permissions that each intent needs. The rules read the same intent as the handler, so the
// check and the action cannot disagree.

import { notPermitted } from '../errors.ts';
import type { GuardedIntent, Intent } from '../intent/intent.ts';
import { type Need, printNeed } from './permission.ts';
import { maySeeQuery, type Principal } from './principal.ts';

type Rules = {
  readonly [K in GuardedIntent['kind']]: (
    intent: Extract<GuardedIntent, { readonly kind: K }>,
    principal: Principal,
  ) => void;
};

type AccessRule = (intent: GuardedIntent, principal: Principal) => void;

/** A list needs permission for one of its elements; the handler omits the others. */
const RULES: Rules = {
  'list-regions': (_intent, principal) => {
    const { permissions } = principal;
    if (!permissions.allowsSome(['DATA'])) requireNeed(principal, ['CLUSTER', 'READ']);
  },
  'read-region': ({ region }, principal) => requireNeed(principal, ['DATA', 'READ', region]),
  'read-page': ({ region }, principal) => requireNeed(principal, ['DATA', 'READ', region]),
  'count-region': ({ region }, principal) => requireNeed(principal, ['DATA', 'READ', region]),
  'read-schema': ({ region }, principal) => requireNeed(principal, ['DATA', 'READ', region]),
  'list-keys': ({ region }, principal) => requireNeed(principal, ['DATA', 'READ', region]),
  'read-changes': ({ keys, regions }, principal) => {
    const { permissions } = principal;
    if (regions === undefined) {
      if (!permissions.allowsSome(['DATA', 'READ'])) throw refuse(['DATA', 'READ']);
    }
    // Permission for some keys of a region is enough: the feed shows only those.
    for (const region of regions ?? []) {
      const need: Need = ['DATA', 'READ', region];
      if (keys !== undefined) requireKeys(principal, need, keys);
      else if (!permissions.allowsSome(need)) throw refuse(need);
    }
  },
  'clear-region': ({ region }, principal) => requireNeed(principal, ['DATA', 'WRITE', region]),
  'read-entries': ({ keys, region }, principal) =>
    requireKeys(principal, ['DATA', 'READ', region], keys),
  // Without a key the service may generate any, so all keys must be permitted.
  'add-entry': ({ key, region }, principal) =>
    requireKeys(principal, ['DATA', 'WRITE', region], key === undefined ? [] : [key]),
  'write-entries': ({ keys, region }, principal) =>
    requireKeys(principal, ['DATA', 'WRITE', region], keys),
  // A patch can test the stored value, so it needs read permission too.
  'patch-entry': ({ key, region }, principal) => {
    requireKeys(principal, ['DATA', 'WRITE', region], [key]);
    requireKeys(principal, ['DATA', 'READ', region], [key]);
  },
  'remove-entries': ({ keys, region }, principal) =>
    requireKeys(principal, ['DATA', 'WRITE', region], keys),
  // Grants of single keys are checked item by item.
  bulk: ({ region }, principal) => {
    const need: Need = ['DATA', 'WRITE', region];
    if (!principal.permissions.allowsSome(need)) throw refuse(need);
  },
  // The body states the operations, so the handler checks each of them with `authoriseEntry`.
  transact: (_intent, principal) => {
    if (!principal.permissions.allowsSome(['DATA'])) throw refuse(['DATA', 'WRITE']);
  },
  'list-versions': ({ key, region }, principal) =>
    requireKeys(principal, ['DATA', 'READ', region], [key]),
  'restore-entry': ({ key, region }, principal) => {
    requireKeys(principal, ['DATA', 'WRITE', region], [key]);
    requireKeys(principal, ['DATA', 'READ', region], [key]);
  },
  'list-queries': (_intent, principal) => {
    const { permissions } = principal;
    if (!permissions.allowsSome(['QUERY', 'RUN'])) requireNeed(principal, ['QUERY', 'MANAGE']);
  },
  'read-query': ({ queryId }, principal) => {
    if (!maySeeQuery(principal, queryId)) throw refuse(['QUERY', 'RUN', queryId]);
  },
  'run-named-query': ({ queryId }, principal) => requireNeed(principal, ['QUERY', 'RUN', queryId]),
  'run-adhoc-query': always(['QUERY', 'RUN', 'adhoc']),
  'follow-named-query': ({ queryId }, principal) =>
    requireNeed(principal, ['QUERY', 'RUN', queryId]),
  'follow-adhoc-query': always(['QUERY', 'RUN', 'adhoc']),
  'create-query': always(['QUERY', 'MANAGE']),
  'update-query': always(['QUERY', 'MANAGE']),
  'delete-query': always(['QUERY', 'MANAGE']),
  'list-running-queries': always(['QUERY', 'MANAGE']),
  'read-query-statistics': always(['QUERY', 'MANAGE']),
  'cancel-query': always(['QUERY', 'MANAGE']),
  'create-region': always(['CLUSTER', 'MANAGE']),
  'alter-region': always(['CLUSTER', 'MANAGE']),
  'destroy-region': always(['CLUSTER', 'MANAGE']),
  'create-index': always(['CLUSTER', 'MANAGE']),
  'drop-index': always(['CLUSTER', 'MANAGE']),
  'describe-regions': always(['CLUSTER', 'READ']),
  'describe-region': always(['CLUSTER', 'READ']),
  'list-indexes': always(['CLUSTER', 'READ']),
  'describe-index': always(['CLUSTER', 'READ']),
  'read-config': always(['CLUSTER', 'READ']),
  'read-stats': always(['CLUSTER', 'READ']),
  'read-metrics': always(['CLUSTER', 'READ']),
  // Any login is enough.
  'list-servers': () => undefined,
  'read-login': () => undefined,
  'list-functions': () => undefined,
  'run-function': () => undefined,
  ping: () => undefined,
};

/** Throws `auth/not-permitted`. Runs before any look-up, so it does not reveal what exists. */
export function authorise(intent: GuardedIntent, principal: Principal): void {
  // The table pairs every kind with a rule for that kind, which a union cannot express.
  (RULES[intent.kind] as AccessRule)(intent, principal);
}

/** The same check for an operation from a request body. Throws `auth/not-permitted`. */
export function authoriseEntry(
  principal: Principal,
  action: 'READ' | 'WRITE' | 'READ-OR-WRITE',
  region: string,
  key: string,
): void {
  const { permissions } = principal;
  if (action !== 'READ-OR-WRITE') requireNeed(principal, ['DATA', action, region, key]);
  else if (!permissions.allows(['DATA', 'WRITE', region, key])) {
    requireNeed(principal, ['DATA', 'READ', region, key]);
  }
}

/** Whether the principal that writes these keys may also read the values stored under them. */
export function mayReadWritten(intent: Intent | undefined, { permissions }: Principal): boolean {
  const keys = writtenKeys(intent);
  if (intent === undefined || !('region' in intent) || keys === undefined) return false;
  const region: Need = ['DATA', 'READ', intent.region];
  if (permissions.allows(region)) return true;
  return keys.length > 0 && keys.every((key) => permissions.allows([...region, key]));
}

function writtenKeys(intent: Intent | undefined): readonly string[] | undefined {
  switch (intent?.kind) {
    case 'add-entry':
      return intent.key === undefined ? [] : [intent.key];
    case 'write-entries':
      return intent.keys;
    default:
      return undefined;
  }
}

function always(need: Need): (intent: unknown, principal: Principal) => void {
  return (_intent, principal) => requireNeed(principal, need);
}

/** Requires permission for each key, or for the whole region when no keys are given. */
function requireKeys(principal: Principal, region: Need, keys: readonly string[]): void {
  if (principal.permissions.allows(region)) return;
  if (keys.length === 0) throw refuse(region);
  for (const key of keys) requireNeed(principal, [...region, key]);
}

function requireNeed({ permissions }: Principal, need: Need): void {
  if (!permissions.allows(need)) throw refuse(need);
}

function refuse(need: Need): Error {
  return notPermitted(printNeed(need));
}
