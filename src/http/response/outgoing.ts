// The operations needed to send an answer. Node's `ServerResponse` has them, as has an answer
// written straight to its socket.

import type { Socket } from 'node:net';

/** A complete answer, with the headers of data and no `Connection` header. */
export interface WholeAnswer {
  readonly status: number;
  /** Names and values in turn, without the headers common to all answers. */
  readonly headers: readonly string[];
  readonly requestId: string;
  readonly body: string | Uint8Array;
  readonly bodyBytes: number;
  /** The buffer of the body may be overwritten before it, and detached. */
  readonly isOwn: boolean;
}

export interface Outgoing {
  /** Null before it is this answer's turn on its connection. */
  readonly socket: Socket | null;
  /** The connection is gone. */
  readonly destroyed: boolean;
  readonly req: { readonly method?: string | undefined };
  /** Names and values in turn. */
  writeHead(status: number, headers: string[]): unknown;
  /** Sends the head before any of the body; absent where it is sent with the first piece. */
  flushHeaders?(): void;
  /** False: `drain` follows when the client has read the pending bytes. */
  write(piece: string | Uint8Array): boolean;
  end(): unknown;
  end(body: string | Uint8Array): unknown;
  end(body: string | Uint8Array, encoding: 'latin1'): unknown;
  /** The same as `writeHead` and `end`, where there is a faster way. */
  sendWhole?(answer: WholeAnswer): void;
  /** Cuts the connection. */
  destroy(): unknown;
  /** `half-closed`: the client sends no more; one that is gone is found out by writing to it. */
  on(event: 'drain' | 'close' | 'half-closed', listener: () => void): unknown;
  once(event: 'close', listener: () => void): unknown;
  off(event: 'drain' | 'close' | 'half-closed', listener: () => void): unknown;
}
