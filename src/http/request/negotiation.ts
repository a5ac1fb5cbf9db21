// Which of several media types an answer is given in.

import { notAcceptable } from '../errors.ts';
import { accepts, qualityOf } from './accept.ts';

/** The type that the client likes best; of those that it likes alike, the one offered first. */
export function preferredType(accept: string | undefined, offered: readonly string[]): string {
  const [first = ''] = offered;
  if (!accept || accept === '*/*' || accept === first) return first;
  let best = first;
  for (const type of offered) if (qualityOf(accept, type) > qualityOf(accept, best)) best = type;
  return best;
}

/** For a request that has one form alone, on a route that offers others to others. */
export function requireType(accept: string | undefined, type: string): void {
  if (accept !== undefined && !accepts(accept, type)) throw notAcceptable(accept, [type]);
}
