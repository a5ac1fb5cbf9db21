// Error details contain similar names and current values. They are removed for a principal that may
// not see them.

import { cannotBeUnique, GridError, notUnique, type SameValue } from '../../grid/index.ts';
import type { Intent } from '../intent/intent.ts';
import { mayReadWritten } from './access-rules.ts';
import type { Principal } from './principal.ts';

/** The error as the principal may see it. */
export function redactError(
  error: unknown,
  intent: Intent | undefined,
  principal: Principal,
): unknown {
  if (!(error instanceof GridError) || maySeeDetails(error, intent, principal)) return error;
  if (error.details.unique !== undefined) return redactHolder(error, error.details.unique, intent);
  return new GridError(error.code, error.message);
}

/** A principal that may only manage or write a region must not see its keys and values. */
function redactHolder(error: GridError, unique: SameValue, intent: Intent | undefined): GridError {
  const { failed } = error.details;
  const { index, key, region } = unique;
  if (intent?.kind !== 'create-index') {
    return notUnique(
      { region, index, key },
      failed !== undefined && 'kind' in failed ? failed : undefined,
    );
  }
  const { code, message } = cannotBeUnique({ region, index, key });
  return new GridError(code, message);
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
    case 'grid/not-unique': {
      const { holder = '', key = '', region = '' } = error.details.unique ?? {};
      return [holder, key].every((each) => permissions.allows(['DATA', 'READ', region, each]));
    }
    default:
      return true;
  }
}
