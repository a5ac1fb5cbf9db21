// The parts of an incoming request that the service uses. Both Node's `IncomingMessage` and a
// request read directly from its socket have them.

import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** The head of a request, and the connection it came on. */
export interface RequestHead {
  readonly httpVersionMajor: number;
  readonly httpVersionMinor: number;
  readonly method?: string | undefined;
  /** The raw request target. */
  readonly url?: string | undefined;
  readonly headers: IncomingHttpHeaders;
  /** Names and values alternating, as they were sent. */
  readonly rawHeaders: readonly string[];
  readonly socket: Socket;
}

/** How often a request has one of these headers; Node joins repeats, or drops them. */
export function countHeaders(rawHeaders: readonly string[], ...names: readonly string[]): number {
  return rawHeaders.filter((name, i) => i % 2 === 0 && names.includes(name.toLowerCase())).length;
}

/** A request whose body had arrived when its head was parsed. */
export interface WholeRequest extends RequestHead {
  /** Empty when it has none. */
  readonly body: Buffer;
}

/** A request whose body can be read. */
export type RequestSource = IncomingMessage | WholeRequest;
