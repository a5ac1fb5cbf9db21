// Whether a route has an answer in a form that the client takes.

import { notAcceptable } from '../errors.ts';
import { accepts } from '../request/accept.ts';
import { JSON_TYPE } from '../response/api-response.ts';
import type { ApiRoute } from '../routes.ts';

/** Throws `request/not-acceptable`. */
export function requireAcceptable(route: ApiRoute, accept: string | undefined): void {
  // A dialect refuses in its own order and words.
  if ('dialect' in route) return;
  // Probes want the status alone.
  if (route.always === true && route.produces === undefined) return;
  if (accept === undefined || accept === '*/*' || accept === JSON_TYPE) return;
  const offered = [JSON_TYPE, ...(route.produces ?? [])];
  if (!offered.some((type) => accepts(accept, type))) throw notAcceptable(accept, offered);
}
