// Errors help with near names and current values. To those who may not see
// them, the bare error is shown.

import { GridError } from '../../grid/index.ts';
import type { ApiRequest } from '../request/api-request.ts';
import { type AccessLimits, mayReadWritten } from './access-rules.ts';

/** The error as the principal of the request may see it. */
export function conceal(error: unknown, request: ApiRequest, limits: AccessLimits): unknown {
  if (!(error instanceof GridError) || maySeeDetails(error, request, limits)) return error;
  return new GridError(error.code, error.message);
}

function maySeeDetails(error: GridError, request: ApiRequest, limits: AccessLimits): boolean {
  const { permissions } = request.principal;
  switch (error.code) {
    case 'grid/region-not-found':
      return permissions.allows(['DATA', 'READ']) || permissions.allows(['CLUSTER', 'READ']);
    case 'grid/query-not-found':
      return permissions.allows(['QUERY', 'MANAGE']);
    case 'grid/key-exists':
    case 'grid/value-differs':
      return mayReadWritten(request, request.principal, limits);
    default:
      return true;
  }
}
