// A tree without its spans, to compare what two trees say.

export function withoutSpans(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withoutSpans);
  if (typeof node !== 'object' || node === null || !('span' in node || 'condition' in node)) {
    return node;
  }
  const members = Object.entries(node).filter(([name]) => name !== 'span' && name !== 'nameSpan');
  return Object.fromEntries(members.map(([name, value]) => [name, withoutSpans(value)]));
}
