// The text of a query's result.

const decoder = new TextDecoder();

/** JSON elements, from pieces that have some each. */
export async function joinPieces(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  const texts: string[] = [];
  for await (const piece of pieces) texts.push(decoder.decode(piece));
  return texts.join();
}
