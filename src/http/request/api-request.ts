// The part of a request that a handler gets besides the intent: principal, base address of links,
// and body. The head is deliberately absent: the intent has everything from it.

import type { Socket } from 'node:net';
import type { Principal } from '../auth/principal.ts';
import type { BodyLimits } from './body.ts';
import type { PiecesLimits } from './body-pieces.ts';

export interface ApiRequest {
  readonly id: string;
  /** The sender; may do everything while authentication is off. */
  readonly principal: Principal;
  /**
   * `http://host:port`, or `https://…`, with the path of a proxy: the address that the client uses.
   */
  readonly origin: string;
  /** Address of the data plane in the dialect of the request: `http://host:port/grid-api/v1`. */
  readonly base: string;
  /** The connection, for requests that are silent for long. */
  readonly socket: Socket;
  /** Whether the client has disconnected. So a request can be the signal of a query, which polls it. */
  readonly aborted: boolean;
  /** The same with an event, at a cost of some 20 µs. */
  readonly signal: AbortSignal;
  /**
   * The body as compact JSON text; synchronous if it arrived with the head. Refuses a request
   * without a body.
   */
  readJson(limits: BodyLimits): string | Promise<string>;
  /** The same, undefined without a body. */
  readOptionalJson(limits: BodyLimits): string | undefined | Promise<string | undefined>;
  /** The raw body, undefined without one; synchronous if it arrived with the head. */
  readBytes(limits: BodyLimits): Buffer | undefined | Promise<Buffer | undefined>;
  /** A body of any length in pieces; nothing is read ahead. */
  readPieces(limits: PiecesLimits): AsyncIterable<Buffer>;
}
