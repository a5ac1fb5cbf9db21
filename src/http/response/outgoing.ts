// The operations needed to send an answer. Both Node's `ServerResponse` and an answer written
// directly to its socket have them.

import type { Socket } from 'node:net';

/** A complete answer, with the headers of data and no `Connection` header. */
export interface WholeAnswer {
  readonly status: number;
  readonly contentType: string | undefined;
  /** Names and values alternating, without the headers common to all answers. */
  readonly headers: readonly string[];
  readonly requestId: string;
  readonly body: string | Uint8Array;
  readonly bodyBytes: number;
  /** The answer owns the buffer of its body, which may be detached. */
  readonly isOwn: boolean;
}

export interface Outgoing {
  /** Null while earlier answers are sent on the connection. */
  readonly socket: Socket | null;
  /** The connection is gone. */
  readonly destroyed: boolean;
  readonly req: { readonly method?: string | undefined };
  /** Names and values alternating. */
  writeHead(status: number, headers: string[]): unknown;
  /** Sends the head before the body; absent if it is sent with the first piece. */
  flushHeaders?(): void;
  /** False: `drain` follows when the client has read the pending bytes. */
  write(piece: string | Uint8Array): boolean;
  end(): unknown;
  end(body: string | Uint8Array): unknown;
  end(body: string | Uint8Array, encoding: 'latin1'): unknown;
  /** The same as `writeHead` and `end`, if there is a faster way. */
  sendWhole?(answer: WholeAnswer): void;
  /** Destroys the connection. */
  destroy(): unknown;
  /** `half-closed`: the client closed its half; only a write detects that it is gone. */
  on(event: 'drain' | 'close' | 'half-closed', listener: () => void): unknown;
  once(event: 'close', listener: () => void): unknown;
  off(event: 'drain' | 'close' | 'half-closed', listener: () => void): unknown;
}
