// Prints values of a schema for display, and as filter conditions.

const LONGEST = 40;

/** A string without its quotes, truncated if long. */
export function printValue(json: string): string {
  const text = toText(json) ?? json;
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
}

/**
 * `address.city = 'Oslo'`; undefined if the path leads through a list, or the value was truncated.
 */
export function conditionFor(path: string, json: string): string | undefined {
  if (!/^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*$/.test(path)) return undefined;
  if (!json.startsWith('"')) return json === 'null' ? `${path} IS NULL` : `${path} = ${json}`;
  const text = toText(json);
  return text === undefined ? undefined : `${path} = '${text.replaceAll("'", "''")}'`;
}

/** The string of a JSON text; undefined for other values, and for a truncated one. */
function toText(json: string): string | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}
