// A request with its route, as the parser of the route sees it: the whole head. Only the parser
// sees it.

import type { IncomingHttpHeaders } from 'node:http';
import { decodePart } from './decode-part.ts';
import type { QueryString } from './query-string.ts';

export interface RoutedRequest {
  /** The raw path, without the query part. */
  readonly path: string;
  /** Raw path segments for the `{…}` of the route, in order. */
  readonly segments: readonly string[];
  readonly query: QueryString;
  readonly headers: IncomingHttpHeaders;
  /** Names and values alternating, as they were sent. */
  readonly rawHeaders: readonly string[];
}

export interface KeyLimits {
  readonly maxKeysPerRequest: number;
}

/** From a request to its intent; throws a `RequestError`. Reads no body and looks nothing up. */
export type Parse<I> = (request: RoutedRequest, limits: KeyLimits) => I;

/** The name in a segment: of a region, a query, an index. */
export function nameOfSegment(request: RoutedRequest, index: number): string {
  return decodePart(request.segments[index] ?? '');
}
