// Whether a route has an answer in a form that the client takes.

import { notAcceptable } from '../errors.ts';
import { accepts } from '../request/accept.ts';
import { JSON_TYPE } from '../response/api-response.ts';
import type { Route } from '../router.ts';

/** Throws `request/not-acceptable`. */
export function requireAcceptable(route: Route, accept: string | undefined): void {
  // Whoever probes wants the status alone.
  if (route.always === true && route.produces === undefined) return;
  if (accept === undefined || accept === '*/*' || accept === JSON_TYPE) return;
  const offered = [JSON_TYPE, ...(route.produces ?? [])];
  if (!offered.some((type) => accepts(accept, type))) throw notAcceptable(accept, offered);
}
