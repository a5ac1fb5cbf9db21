// The history of a region is stored as entries of a reserved second region, written in the same commit
// as the changes. So they are sealed, checked, backed up and moved like all entries.
//
//   m                            {"oldest","since","kept","time"}: what is kept; each commit rewrites it
//   s<sequence>.<part>           {"time","entries","changes"}: a commit; "entries" is the region's
//                                size before it, "changes" the operation, state and key of each
//   k<key><end><sequence><operation><state>
//                                the value and version that the entry had before that commit
//
//   operation  p put   r remove   x expire   c clear
//   state      + the value is what was there before   - nothing was there
//
// Records of one key are adjacent and sorted by key: \u0001 in a key is written \u0001\u0002, and
// \u0001\u0001 ends it.

import type { Change, KeyRange, RegionDefinition } from './engine.ts';

export const META_KEY = 'm';
/** Changes that one record of a commit lists. */
export const CHANGES_PER_PART = 1000;
const SEQUENCE_DIGITS = 16;
const PART_DIGITS = 9;
const END = '\u0001\u0001';
const AFTER_ALL = '\uffff';

const OPERATIONS = { p: 'put', r: 'remove', x: 'expire', c: 'clear' } as const;
const LETTERS = { put: 'p', remove: 'r', expire: 'x', clear: 'c' } as const;

/** The operation that replaced a state. */
export type HistoryOperation = Change['kind'] | 'clear';

/** The extent of a region's history. */
export interface HistoryMeta {
  /** States from this commit on can be read. */
  readonly oldest: number;
  /** When that commit was made. */
  readonly since: number;
  /** Changes whose state before is kept. */
  readonly kept: number;
  /** Of the latest commit; a clock that is set back does not lower it. */
  readonly time: number;
}

export interface CommitPart {
  readonly time: number;
  readonly entries: number;
  /** Operation, state and key. */
  readonly changes: readonly string[];
}

/** A record of one key: its state before the commit `sequence`. */
export interface StateRecord {
  readonly key: string;
  readonly sequence: number;
  readonly operation: HistoryOperation;
  readonly wasPresent: boolean;
}

export function historyRegion(region: string): string {
  return `_history/${region}`;
}

export function historyDefinition(region: string): RegionDefinition {
  const name = historyRegion(region);
  return { name, type: 'REPLICATE', keyConstraint: null, valueConstraint: null };
}

export function parseMeta(value: string): HistoryMeta {
  // Written by `record-history.ts` alone.
  return JSON.parse(value) as HistoryMeta;
}

export function parsePart(value: string): CommitPart {
  // Written by `record-history.ts` alone.
  return JSON.parse(value) as CommitPart;
}

export function partKey(sequence: number, part: number): string {
  return `s${printSequence(sequence)}.${String(part).padStart(PART_DIGITS, '0')}`;
}

/** After all parts of the commit. */
export function afterParts(sequence: number): string {
  return `s${printSequence(sequence)}${AFTER_ALL}`;
}

/** The commit of a record's key; undefined when it is another kind of record. */
export function parsePartKey(key: string): number | undefined {
  return key.startsWith('s') ? Number(key.slice(1, 1 + SEQUENCE_DIGITS)) : undefined;
}

/** A change as a part lists it: operation, state and key. */
export function printChange(
  operation: HistoryOperation,
  key: string,
  state: 'absent' | 'present',
): string {
  return `${LETTERS[operation]}${state === 'present' ? '+' : '-'}${key}`;
}

/** The key of the record of a change that a part lists. */
export function stateKey(sequence: number, change: string): string {
  return `${beginKey(change.slice(2))}${printSequence(sequence)}${change.slice(0, 2)}`;
}

/** After the records of the key up to this commit. */
export function afterState(key: string, sequence: number): string {
  return `${beginKey(key)}${printSequence(sequence)}${AFTER_ALL}`;
}

/** Before the records of the key from this commit on. */
export function beforeState(key: string, sequence: number): string {
  return `${beginKey(key)}${printSequence(sequence)}`;
}

/** Undefined when it is another kind of record. */
export function parseStateKey(key: string): StateRecord | undefined {
  if (!key.startsWith('k')) return undefined;
  const at = key.length - SEQUENCE_DIGITS - 2;
  // All records of this kind end with one of the letters and a state.
  const operation = OPERATIONS[key.at(-2) as keyof typeof OPERATIONS];
  return {
    key: key.slice(1, at - END.length).replaceAll('\u0001\u0002', '\u0001'),
    sequence: Number(key.slice(at, -2)),
    operation,
    wasPresent: key.endsWith('+'),
  };
}

/** The range of the records of a range of keys. It has no limit, because limits count entries. */
export function toStateRange({ after, from, order, prefix, to }: KeyRange): KeyRange {
  const isDescending = order === 'desc';
  return {
    prefix: `k${escapeKey(prefix ?? '')}`,
    ...(after === undefined
      ? {}
      : { after: isDescending ? `k${escapeKey(after)}` : `${beginKey(after)}${AFTER_ALL}` }),
    ...(from === undefined ? {} : { from: `k${escapeKey(from)}` }),
    ...(to === undefined ? {} : { to: `k${escapeKey(to)}` }),
    ...(order === undefined ? {} : { order }),
  };
}

function beginKey(key: string): string {
  return `k${escapeKey(key)}${END}`;
}

function escapeKey(key: string): string {
  return key.includes('\u0001') ? key.replaceAll('\u0001', '\u0001\u0002') : key;
}

function printSequence(sequence: number): string {
  return String(sequence).padStart(SEQUENCE_DIGITS, '0');
}
