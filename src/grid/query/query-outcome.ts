import type { QueryOutcome } from '../../observe/observation.ts';
import { OqlError } from '../../oql/index.ts';
import { GridError } from '../errors.ts';

/** The end of a run, for reports. */
export function outcomeOf(failure: unknown): QueryOutcome {
  if (failure === undefined) return 'completed';
  if (failure instanceof GridError && failure.code === 'grid/too-many-queries') return 'refused';
  if (!(failure instanceof OqlError)) return 'failed';
  switch (failure.code) {
    case 'oql/timeout':
      return 'timed-out';
    case 'oql/cancelled':
      return 'cancelled';
    case 'oql/low-memory':
      return 'low-memory';
    default:
      return 'failed';
  }
}
