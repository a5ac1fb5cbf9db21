// A streamed answer that turns out to be short is sent as one body, with its length.

import type { ApiResponse } from './api-response.ts';

const HELD_BYTES = 64 * 1024;

type Piece = string | Uint8Array;

/** Fails with what the body fails with in its first bytes; the body is then closed. */
export async function holdWhole(
  response: ApiResponse & { readonly body: AsyncGenerator<Piece> },
): Promise<ApiResponse> {
  const { body } = response;
  const held: Buffer[] = [];
  for (let bytes = 0; bytes <= HELD_BYTES; ) {
    const next = await body.next();
    if (next.done === true) return { ...response, body: Buffer.concat(held) };
    // A copy: a piece belongs to its taker, which may be a view of something larger.
    const piece = Buffer.from(next.value as string); // either overload takes its kind
    held.push(piece);
    bytes += piece.length;
  }
  return { ...response, body: resume(Buffer.concat(held), body) };
}

async function* resume(held: Buffer, rest: AsyncGenerator<Piece>): AsyncGenerator<Piece> {
  try {
    yield held;
    yield* rest;
  } finally {
    // Also when the client went away before the rest began.
    await rest.return(undefined);
  }
}
