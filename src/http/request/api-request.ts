// The part of a request that a handler gets besides the intent: principal, base address of links,
// and body. The head is deliberately absent, because the intent has all that it says.

import type { Principal } from '../auth/principal.ts';
import type { BodyLimits } from './body.ts';
import type { PiecesLimits } from './body-pieces.ts';

export interface ApiRequest {
  readonly id: string;
  /** The sender; may do everything while authentication is off. */
  readonly principal: Principal;
  /** `http://host:port`, or `https://…`, with the path of a proxy: where the client finds us. */
  readonly origin: string;
  /** Address of the data plane in the dialect of the request: `http://host:port/grid-api/v1`. */
  readonly base: string;
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal;
  /**
   * The body as compact JSON text, at once where it came together with the head. A request without
   * one is refused.
   */
  readJson(limits: BodyLimits): string | Promise<string>;
  /** The same, undefined without a body. */
  readOptionalJson(limits: BodyLimits): string | undefined | Promise<string | undefined>;
  /** The body as it came, undefined without one; at once where it came together with the head. */
  readBytes(limits: BodyLimits): Buffer | undefined | Promise<Buffer | undefined>;
  /** A body of any length as it comes; nothing is read ahead. */
  readPieces(limits: PiecesLimits): AsyncIterable<Buffer>;
}
