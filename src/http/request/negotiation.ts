// Which of several media types an answer is given in.

import { notAcceptable } from '../errors.ts';
import { accepts, findRange } from './accept.ts';

/**
 * The type that the client likes best; of those that it likes alike, one that it names rather than
 * one that it takes with all others, and then the one offered first.
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

/** For a request that has one form alone, on a route that offers others to others. */
export function requireType(accept: string | undefined, type: string): void {
  if (accept !== undefined && !accepts(accept, type)) throw notAcceptable(accept, [type]);
}
