// Errors help with near names and current values. A principal that may not see
// those gets the bare error.

import { GridError } from '../../grid/index.ts';
import type { Intent } from '../intent/intent.ts';
import { mayReadWritten } from './access-rules.ts';
import type { Principal } from './principal.ts';

/** The error as the principal may see it. */
export function conceal(error: unknown, intent: Intent | undefined, principal: Principal): unknown {
  if (!(error instanceof GridError) || maySeeDetails(error, intent, principal)) return error;
  return new GridError(error.code, error.message);
}

function maySeeDetails(
  error: GridError,
  intent: Intent | undefined,
  principal: Principal,
): boolean {
  const { permissions } = principal;
  switch (error.code) {
    case 'grid/region-not-found':
      return permissions.allows(['DATA', 'READ']) || permissions.allows(['CLUSTER', 'READ']);
    case 'grid/query-not-found':
      return permissions.allows(['QUERY', 'MANAGE']);
    case 'grid/key-exists':
    case 'grid/value-differs':
      return mayReadWritten(intent, principal);
    default:
      return true;
  }
}
