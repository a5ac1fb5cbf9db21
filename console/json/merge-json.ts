// Merges two changes of one value, member by member. A member that one side changed is taken from
// that side; one that both changed to different texts is a conflict, where the user's side wins
// until the user decides.

import { childrenOf, rootOf } from './json-text.ts';

export interface Merged {
  readonly text: string;
  /** Paths of members that both sides changed differently: `address.city`. */
  readonly conflicts: readonly string[];
}

export function mergeJson(base: string, theirs: string, mine: string): Merged {
  const conflicts: string[] = [];
  const text = merge(compact(base), compact(theirs), compact(mine), '', conflicts);
  return { text, conflicts };
}

/** Without the white space between tokens. */
function compact(text: string): string {
  return text.replaceAll(/("(?:[^"\\]|\\.)*")|\s+/g, (_all, string?: string) => string ?? '');
}

function merge(
  base: string,
  theirs: string,
  mine: string,
  path: string,
  conflicts: string[],
): string {
  if (theirs === mine || theirs === base) return mine;
  if (mine === base) return theirs;
  if (base[0] === '{' && theirs[0] === '{' && mine[0] === '{') {
    return mergeMembers(base, theirs, mine, path, conflicts);
  }
  conflicts.push(path === '' ? '(the whole value)' : path);
  return mine;
}

function mergeMembers(
  base: string,
  theirs: string,
  mine: string,
  path: string,
  conflicts: string[],
): string {
  const sides = [base, theirs, mine].map(membersOf);
  const [before, other, own] = sides as [Members, Members, Members]; // three, as above
  const names = [...new Set([...own.keys(), ...other.keys()])];
  const members = names.flatMap((name) => {
    const inside = path === '' ? name : `${path}.${name}`;
    const value = mergeMember(before.get(name), other.get(name), own.get(name), inside, conflicts);
    return value === undefined ? [] : [`${JSON.stringify(name)}:${value}`];
  });
  return `{${members.join(',')}}`;
}

/** Undefined is an absent member. */
function mergeMember(
  base: string | undefined,
  theirs: string | undefined,
  mine: string | undefined,
  path: string,
  conflicts: string[],
): string | undefined {
  if (theirs === mine || theirs === base) return mine;
  if (mine === base) return theirs;
  if (base !== undefined && theirs !== undefined && mine !== undefined) {
    return merge(base, theirs, mine, path, conflicts);
  }
  conflicts.push(path);
  return mine;
}

type Members = ReadonlyMap<string, string>;

function membersOf(text: string): Members {
  const { start } = rootOf(text);
  return new Map(
    childrenOf(text, start).map((child) => [child.name ?? '', text.slice(child.start, child.end)]),
  );
}
