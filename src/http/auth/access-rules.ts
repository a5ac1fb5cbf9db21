// The permissions that intents need; handlers/handlers.ts says which rule each intent has. A rule
// reads the same intent as the handler, so the check and the action cannot disagree. It runs before
// any look-up, so it does not reveal what exists.

import { notPermitted } from '../errors.ts';
import type { Intent, ReadChanges } from '../intent/intent.ts';
import { type Need, printNeed } from './permission.ts';
import { maySeeQuery, type Principal } from './principal.ts';

/** Throws `auth/not-permitted`. */
export type AccessRule<I> = (intent: I, principal: Principal) => void;

/** The entries that an intent names by their keys; all of the region if it names none. */
interface NamedEntries {
  readonly region: string;
  readonly key?: string | undefined;
  readonly keys?: readonly string[];
}

export const anyLogin: AccessRule<unknown> = () => undefined;

/** The same permission, whatever the intent says. */
export function needs(...need: Need): AccessRule<unknown> {
  return (_intent, principal) => requireNeed(principal, need);
}

/** A list needs permission for one of its elements. The handler omits those without permission. */
export const listsRegions: AccessRule<unknown> = (_intent, principal) => {
  if (!principal.permissions.allowsSome(['DATA'])) requireNeed(principal, ['CLUSTER', 'READ']);
};

export const listsQueries: AccessRule<unknown> = (_intent, principal) => {
  const maySome = principal.permissions.allowsSome(['QUERY', 'RUN']);
  if (!maySome) requireNeed(principal, ['QUERY', 'MANAGE']);
};

export const readsEntries: AccessRule<NamedEntries> = (entries, principal) =>
  requireKeys(principal, ['DATA', 'READ', entries.region], keysOf(entries));

/** Without a key the service may generate any, so all keys must be permitted. */
export const writesEntries: AccessRule<NamedEntries> = (entries, principal) =>
  requireKeys(principal, ['DATA', 'WRITE', entries.region], keysOf(entries));

/** A patch can test the stored value, and a restored one can be read, so both permissions are needed. */
export const changesEntries: AccessRule<NamedEntries> = (entries, principal) => {
  writesEntries(entries, principal);
  readsEntries(entries, principal);
};

/** Permission for some keys of a region is enough: the feed shows only those. */
export const readsChanges: AccessRule<ReadChanges> = ({ keys, regions }, principal) => {
  if (regions === undefined) requireSome(principal, ['DATA', 'READ']);
  for (const region of regions ?? []) {
    const need: Need = ['DATA', 'READ', region];
    if (keys === undefined) requireSome(principal, need);
    else requireKeys(principal, need, keys);
  }
};

/** Grants of single keys are checked item by item. */
export const loadsRegion: AccessRule<{ readonly region: string }> = ({ region }, principal) =>
  requireSome(principal, ['DATA', 'WRITE', region]);

/** The body states the operations, so the handler checks each of them with `authoriseEntry`. */
export const transacts: AccessRule<unknown> = (_intent, { permissions }) => {
  if (!permissions.allowsSome(['DATA'])) throw refuse(['DATA', 'WRITE']);
};

export const readsQuery: AccessRule<{ readonly queryId: string }> = ({ queryId }, principal) => {
  if (!maySeeQuery(principal, queryId)) throw refuse(['QUERY', 'RUN', queryId]);
};

export const runsQuery: AccessRule<{ readonly queryId: string }> = ({ queryId }, principal) =>
  requireNeed(principal, ['QUERY', 'RUN', queryId]);

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
  if (intent?.kind !== 'add-entry' && intent?.kind !== 'write-entries') return false;
  const region: Need = ['DATA', 'READ', intent.region];
  if (permissions.allows(region)) return true;
  const keys = keysOf(intent);
  return keys.length > 0 && keys.every((key) => permissions.allows([...region, key]));
}

function keysOf({ key, keys }: NamedEntries): readonly string[] {
  return keys ?? (key === undefined ? [] : [key]);
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

/** Requires permission for the need, or for something below it. */
function requireSome({ permissions }: Principal, need: Need): void {
  if (!permissions.allowsSome(need)) throw refuse(need);
}

function refuse(need: Need): Error {
  return notPermitted(printNeed(need));
}
