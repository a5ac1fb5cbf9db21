// Region paths as queries spell them.

/**
 * A segment that needs no quotes, as a pattern: all of ASCII's `+ - : # @ $ _`, digits and upper case
 * letters, and everything from `a` up.
 */
export const SEGMENT = '[+\\-:#@$_0-9A-Z\\u0061-\\uFFFF]+';

const PLAIN_SEGMENT = new RegExp(`^${SEGMENT}$`);

/** `/orders`; `/'my.region'` if the name has other characters. */
export function printRegionPath(...segments: readonly string[]): string {
  const isPlain = segments.every((segment) => PLAIN_SEGMENT.test(segment));
  return segments
    .map((segment) => (isPlain ? `/${segment}` : `/'${segment.replaceAll("'", "''")}'`))
    .join('');
}
