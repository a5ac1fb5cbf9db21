// A tree without its spans, to compare the contents of two trees.

const LOCATIONS: ReadonlySet<string> = new Set(['span', 'nameSpan', 'nameStart']);

export function withoutSpans(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withoutSpans);
  if (typeof node !== 'object' || node === null) return node;
  // Projections and sort keys have an expression, branches a condition, all others a span.
  if (!('span' in node || 'expression' in node || 'condition' in node)) return node;
  const members = Object.entries(node).filter(([name]) => !LOCATIONS.has(name));
  return Object.fromEntries(members.map(([name, value]) => [name, withoutSpans(value)]));
}
