// What a handler gets besides the intent: who asks, where answers point to, and
// the body. The head of the request is not here, for the intent has all it says.

import type { Principal } from '../auth/principal.ts';
import type { BodyLimits } from './body.ts';
import type { PiecesLimits } from './body-pieces.ts';

export interface ApiRequest {
  readonly id: string;
  /** Who asks; may do everything while authentication is off. */
  readonly principal: Principal;
  /** `http://host:port`, or `https://…`, with the path of a proxy: where the client finds us. */
  readonly origin: string;
  /** Address of the data plane in the dialect of the request: `http://host:port/grid-api/v1`. */
  readonly base: string;
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal;
  /** The body as compact JSON text; a request without one is refused. */
  readJson(limits: BodyLimits): Promise<string>;
  /** The same, undefined without a body; at once where it came together with the head. */
  readOptionalJson(limits: BodyLimits): string | undefined | Promise<string | undefined>;
  /** The body as it came, undefined without one; at once where it came together with the head. */
  readBytes(limits: BodyLimits): Buffer | undefined | Promise<Buffer | undefined>;
  /** A body of any length as it comes; nothing is read ahead. */
  readPieces(limits: PiecesLimits): AsyncIterable<Buffer>;
}
