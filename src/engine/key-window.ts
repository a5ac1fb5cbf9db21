// The bounds of a key range combined: one lower bound, one upper bound, and a direction. Adapters
// look it up in their own encoding of keys.

import type { KeyRange, ScanOrder } from './engine.ts';

export interface KeyWindow {
  /** Undefined: from the first key. */
  readonly lower: LowerBound | undefined;
  /** Exclusive; undefined: to the last key. */
  readonly upper: string | undefined;
  readonly order: ScanOrder;
}

export interface LowerBound {
  readonly key: string;
  /** Whether the key itself is in the window. */
  readonly isIncluded: boolean;
}

export function toKeyWindow({ after, from, order = 'asc', prefix, to }: KeyRange): KeyWindow {
  const lowers: LowerBound[] = [];
  const uppers: string[] = [];
  if (from !== undefined) lowers.push({ key: from, isIncluded: true });
  if (to !== undefined) uppers.push(to);
  if (prefix !== undefined) {
    lowers.push({ key: prefix, isIncluded: true });
    const end = endOfPrefix(prefix);
    if (end !== undefined) uppers.push(end);
  }
  if (after !== undefined && order === 'asc') lowers.push({ key: after, isIncluded: false });
  if (after !== undefined && order === 'desc') uppers.push(after);
  return { lower: highest(lowers), upper: lowest(uppers), order };
}

/** The rest of a window once all keys up to `last` have been read. */
export function windowAfter(window: KeyWindow, last: string): KeyWindow {
  return window.order === 'asc'
    ? { ...window, lower: { key: last, isIncluded: false } }
    : { ...window, upper: last };
}

/** Whether a key is not below the window. */
export function isAboveLower(lower: LowerBound | undefined, key: string): boolean {
  if (lower === undefined || key > lower.key) return true;
  return lower.isIncluded && key === lower.key;
}

/** Whether the range includes every key, in either order. */
export function isWholeRange({ after, from, prefix, to }: KeyRange): boolean {
  return [after, from, prefix, to].every((bound) => bound === undefined);
}

/** The least text above all that begin with `prefix`; undefined when no text is. */
function endOfPrefix(prefix: string): string | undefined {
  // A code unit that is the highest has no successor; the one before it is raised instead.
  const kept = prefix.replace(/\uffff+$/, '');
  if (kept === '') return undefined;
  const last = kept.charCodeAt(kept.length - 1);
  return kept.slice(0, -1) + String.fromCharCode(last + 1);
}

function highest(bounds: readonly LowerBound[]): LowerBound | undefined {
  return bounds.reduce<LowerBound | undefined>((best, bound) => {
    if (best === undefined || bound.key > best.key) return bound;
    return bound.key === best.key && best.isIncluded ? bound : best;
  }, undefined);
}

function lowest(bounds: readonly string[]): string | undefined {
  return bounds.reduce<string | undefined>(
    (best, bound) => (best === undefined || bound < best ? bound : best),
    undefined,
  );
}
