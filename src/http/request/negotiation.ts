// Chooses the media type of an answer.

import { notAcceptable } from '../errors.ts';
import { accepts, findRange } from './accept.ts';

/**
 * The type that the client prefers. Among equals, a type that it names wins over a wildcard match,
 * then the type offered first.
 */
export function preferredType(accept: string | undefined, offered: readonly string[]): string {
  const [first = ''] = offered;
  if (!accept || accept === '*/*' || accept === first) return first;
  let best = { type: first, ...findRange(accept, first) };
  for (const type of offered) {
    const range = findRange(accept, type);
    const isLikedAlike = range.quality === best.quality && range.specificity > best.specificity;
    if (range.quality > best.quality || isLikedAlike) best = { type, ...range };
  }
  return best.type;
}

/** For a request with only one form, on a route that offers more. */
export function requireType(accept: string | undefined, type: string): void {
  if (accept !== undefined && !accepts(accept, type)) throw notAcceptable(accept, [type]);
}
