// The rows of an NDJSON answer. Its last line reports the end, or an error.

/** The last line of an answer. */
type EndLine = { readonly '@end'?: object; readonly '@error'?: object };

export interface EndErrors {
  /** The answer ended before its last line. */
  readonly cutShort: (cause?: unknown) => Error;
  /** The service failed midway; the text is its error object. */
  readonly failed: (error: string) => Error;
}

/** Yields complete lines in lists, as they arrive; throws unless the last line is an end. */
export async function* readRows(
  body: AsyncIterable<Uint8Array>,
  { cutShort, failed }: EndErrors,
): AsyncGenerator<readonly string[]> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let pending = '';
  // Held back, because only the end of the answer shows whether it is a row.
  let last: string | undefined;
  try {
    for await (const bytes of body) {
      const text = decoder.decode(bytes, { stream: true });
      // A long line is joined once, not once for each of its pieces.
      const end = text.indexOf('\n');
      if (end < 0) {
        pending += text;
        continue;
      }
      const lines = [pending + text.slice(0, end), ...text.slice(end + 1).split('\n')];
      pending = lines.pop() ?? '';
      const rows = last === undefined ? lines : [last, ...lines];
      last = rows.pop();
      if (rows.length > 0) yield rows;
    }
  } catch (error) {
    throw cutShort(error);
  }
  if (last === undefined || pending !== '') throw cutShort();
  const end = JSON.parse(last) as EndLine; // a complete line is JSON
  if (end['@error'] !== undefined) throw failed(JSON.stringify(end['@error']));
  if (end['@end'] === undefined) throw cutShort();
}
