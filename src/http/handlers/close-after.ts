/** Closes the source of a body when it was sent, failed, or was aborted by the client. */
export async function* closeAfter<T>(
  source: { readonly close: () => void },
  body: AsyncIterable<T>,
): AsyncGenerator<T> {
  try {
    yield* body;
  } finally {
    source.close();
  }
}
