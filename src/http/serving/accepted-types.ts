// The OPTIONS headers beside `Allow`: `Accept-Query` (RFC 10008) and `Accept-Patch` (RFC 5789), the
// media types of bodies that HTTP has a header for.

import { ACCEPT_PATCH, acceptQuery, PARAMETER_TYPES, QUERY_TYPES } from '../request/body-types.ts';
import type { Router } from '../router.ts';
import type { ApiRoute } from '../routes.ts';

/** Headers, names and values alternating. `path` has these methods. */
export function acceptedTypes(
  router: Router<ApiRoute>,
  path: string,
  methods: readonly string[],
): readonly string[] {
  if (path === '*') return [];
  const accepted: string[] = [];
  if (methods.includes('QUERY')) {
    const { route } = router.match('QUERY', path);
    const types = route.path.endsWith('/queries') ? QUERY_TYPES : PARAMETER_TYPES;
    accepted.push('Accept-Query', acceptQuery(types));
  }
  // PATCH of a region takes its own JSON.
  if (methods.includes('PATCH') && router.match('PATCH', path).route.path.includes('{region}')) {
    accepted.push('Accept-Patch', ACCEPT_PATCH);
  }
  return accepted;
}
