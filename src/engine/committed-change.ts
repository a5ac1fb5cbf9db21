import type { Change, CommittedChange } from './engine.ts';

/** A committed change, as listeners receive it. */
export function toCommittedChange(region: string, change: Change): CommittedChange {
  const { key } = change;
  return change.kind === 'put'
    ? { kind: 'put', region, key, value: change.value }
    : { kind: change.kind, region, key };
}
