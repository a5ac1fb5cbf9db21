// What is needed to send an answer. Node's `ServerResponse` has all of it, and so
// has an answer that is written straight to its socket.

export interface Outgoing {
  /** The connection is gone. */
  readonly destroyed: boolean;
  readonly req: { readonly method?: string | undefined };
  /** Names and values in turn. */
  writeHead(status: number, headers: string[]): unknown;
  /** False: `drain` tells when the client took what was written. */
  write(piece: string | Uint8Array): boolean;
  end(): unknown;
  end(body: string | Uint8Array): unknown;
  end(body: string | Uint8Array, encoding: 'latin1'): unknown;
  /** Cuts the connection. */
  destroy(): unknown;
  on(event: 'drain' | 'close', listener: () => void): unknown;
  once(event: 'close', listener: () => void): unknown;
  off(event: 'drain' | 'close', listener: () => void): unknown;
}
