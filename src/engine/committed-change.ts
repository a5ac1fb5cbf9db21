import type { Change, CommittedChange, RecordedChange } from './engine.ts';

/** A committed change, as listeners receive it. */
export function toCommittedChange(region: string, change: Change): CommittedChange {
  const { key } = change;
  return change.kind === 'put'
    ? { kind: 'put', region, key, value: change.value }
    : { kind: change.kind, region, key };
}

/** A committed change as the log keeps it, without its value. */
export function toRecordedChange(
  change: CommittedChange,
  { atMs, sequence }: { readonly sequence: number; readonly atMs: number },
): RecordedChange {
  const key = 'key' in change ? change.key : 'index' in change ? change.index : null;
  return { sequence, atMs, kind: change.kind, region: change.region, key };
}
