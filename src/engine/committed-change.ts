import type { Change, CommittedChange } from './engine.ts';

/** A change that was committed, as listeners hear of it. */
export function toCommittedChange(region: string, change: Change): CommittedChange {
  const { key } = change;
  return change.kind === 'put'
    ? { kind: 'put', region, key, value: change.value }
    : { kind: change.kind, region, key };
}
