// Region paths as queries spell them.

/** What `lexer.ts` reads without quotes. */
const PLAIN_SEGMENT = /^[+\-:#@$_0-9A-Z\u0061-\uFFFF]+$/;

/** `/orders`; `/'my.region'` if the name has other characters. */
export function printRegionPath(...segments: readonly string[]): string {
  const isPlain = segments.every((segment) => PLAIN_SEGMENT.test(segment));
  return segments
    .map((segment) => (isPlain ? `/${segment}` : `/'${segment.replaceAll("'", "''")}'`))
    .join('');
}
