// The region a request names: its first `{…}` segment.

import type { GridRegion } from '../../grid/index.ts';
import type { ApiRequest } from '../request/api-request.ts';
import { decodePart } from '../request/decode-part.ts';
import type { Api } from './handler.ts';

/** At once when the region is in use already; fails with `grid/region-not-found`. */
export function requestedRegion(request: ApiRequest, api: Api): GridRegion | Promise<GridRegion> {
  return api.grid.region(requestedRegionName(request));
}

export function requestedRegionName(request: ApiRequest): string {
  return decodePart(request.segments[0] ?? '');
}
