// Answers that are ready, and large, count as memory in flight until their clients
// have taken them. Streams do not: they hold a piece at a time.

import type { RequestHead } from '../request/request-head.ts';
import type { ResponseBody } from '../response/api-response.ts';
import type { BodyMemory } from './body-memory.ts';

/** Smaller answers fit into the buffers of the system. */
const LARGE_ANSWER_BYTES = 64 * 1024;

/** False: there is no room for this answer now. */
export function holdIfLarge(
  memory: BodyMemory,
  incoming: RequestHead,
  body: ResponseBody,
): boolean {
  const isWhole = typeof body === 'string' || body instanceof Uint8Array;
  if (!isWhole || body.length < LARGE_ANSWER_BYTES) return true;
  return memory.holdAnswer(incoming, body.length);
}

/** To be called when the answer was sent, with its bytes: lets go of it and of the request's body. */
export function releaseAnswered(memory: BodyMemory, incoming: RequestHead, bytes: number): void {
  if (bytes < LARGE_ANSWER_BYTES) memory.release(incoming);
  else memory.releaseWhenTaken(incoming);
}
