// Values of a schema as people read them, and as conditions of a filter.

const LONGEST = 40;

/** A string without its quotes, cut where it is long. */
export function printValue(json: string): string {
  const text = toText(json) ?? json;
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
}

/** `address.city = 'Oslo'`; undefined where a path leads through a list, or a value was cut. */
export function conditionFor(path: string, json: string): string | undefined {
  if (!/^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*$/.test(path)) return undefined;
  if (!json.startsWith('"')) return json === 'null' ? `${path} IS NULL` : `${path} = ${json}`;
  const text = toText(json);
  return text === undefined ? undefined : `${path} = '${text.replaceAll("'", "''")}'`;
}

/** The string that a JSON text stands for; undefined for other values, and for one that was cut. */
function toText(json: string): string | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}
