// The lines of a body as it arrives.

/** Each without its end; what stands behind the last line end is no line. `toError` explains a cut. */
export async function* readLines(
  body: ReadableStream<Uint8Array>,
  toError: (cause: unknown) => Error,
): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((cause: unknown) => {
        throw toError(cause);
      });
      if (done) return;
      const lines = (rest + decoder.decode(value, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      yield* lines;
    }
  } finally {
    // Leaving early ends the connection.
    await reader.cancel().catch(() => undefined);
  }
}
