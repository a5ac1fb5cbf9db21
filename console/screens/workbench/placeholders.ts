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

const TOKEN =
  /'(?:[^']|'')*'?|"(?:[^"]|"")*"?|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|\$\d+|:[A-Za-z_]\w*/gu;
