// Prints values of a schema for display, and as filter conditions.

const LONGEST = 40;

/** A string without its quotes, truncated if long. */
export function printValue(json: string): string {
  const text = toText(json) ?? json;
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
}

/**
 * `value.address.city = 'Oslo'`; undefined if the path leads through a list, or the value was
 * truncated. After the dot even `type`, a word of the language, is a name.
 */
export function conditionFor(path: string, json: string): string | undefined {
  if (!/^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*$/.test(path)) return undefined;
  if (json === 'null') return `value.${path} IS NULL`;
  const literal = json.startsWith('"') ? printText(toText(json)) : printScalar(json);
  return literal && `value.${path} = ${literal}`;
}

function printText(text: string | undefined): string | undefined {
  return text === undefined ? undefined : `'${text.replaceAll("'", "''")}'`;
}

/** A number or a truth value. An integer without a suffix has 32 bits, and with one 64. */
function printScalar(json: string): string | undefined {
  if (/^-?\d+$/.test(json)) {
    const integer = BigInt(json);
    if (BigInt.asIntN(32, integer) === integer) return json;
    return BigInt.asIntN(64, integer) === integer ? `${json}L` : `CAST('${json}' AS bigint)`;
  }
  return Math.abs(Number(json)) === Number.POSITIVE_INFINITY ? undefined : json;
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
