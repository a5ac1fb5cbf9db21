// The placeholders of a query text: `$1`, `$2`, … or `:name`. Strings, quoted names and comments
// have none.

/** In the order of the form: by number, or as they first occur. */
export function findPlaceholders(text: string): readonly string[] {
  const found = new Set<string>();
  for (const [match] of text.matchAll(TOKEN)) {
    if (match.startsWith('$') || match.startsWith(':')) found.add(match);
  }
  const all = [...found];
  return all.every((name) => name.startsWith('$'))
    ? all.sort((a, b) => Number(a.slice(1)) - Number(b.slice(1)))
    : all;
}

/** `SELECT total:o.total` names a projection. */
const NAMED_PROJECTION =
  /(?:\bSELECT\s+(?:DISTINCT\s+|ALL\s+)?|,\s*)(?!(?:DISTINCT|ALL|CASE|NOT)\b)(?:[A-Za-z_]\w*|"[^"]*")\s*:/;

const OTHER_TOKEN =
  /'(?:[^']|'')*'?|"(?:[^"]|"")*"?|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|\$\d+|:[A-Za-z_]\w*/;

const TOKEN = new RegExp(`${NAMED_PROJECTION.source}|${OTHER_TOKEN.source}`, 'giu');
