// Checks that a route has a media type that the client accepts.

import { notAcceptable } from '../errors.ts';
import { accepts } from '../request/accept.ts';
import { JSON_TYPE } from '../response/media-types.ts';
import type { ApiRoute } from '../routes.ts';

/** Throws `request/not-acceptable`. */
export function requireAcceptable(route: ApiRoute, accept: string | undefined): void {
  // A dialect does its own check, with its own order and messages.
  if ('dialect' in route) return;
  // Probes read only the status.
  if (route.always === true && route.produces === undefined) return;
  if (accept === undefined || accept === '*/*' || accept === JSON_TYPE) return;
  const offered = [JSON_TYPE, ...(route.produces ?? [])];
  if (!offered.some((type) => accepts(accept, type))) throw notAcceptable(accept, offered);
}
