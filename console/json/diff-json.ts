// The differences between two values, member by member, as texts.

import { childrenOf, kindAt, rootOf } from './json-text.ts';

export interface Difference {
  /** `address.city`, `lines[2].price`; empty for the whole value. */
  readonly path: string;
  /** Undefined if it was absent. */
  readonly before: string | undefined;
  readonly after: string | undefined;
}

export function diffJson(before: string, after: string): readonly Difference[] {
  const differences: Difference[] = [];
  compare(textOf(before), textOf(after), '', differences);
  return differences;
}

function compare(
  before: string | undefined,
  after: string | undefined,
  path: string,
  differences: Difference[],
): void {
  if (before === after) return;
  if (before === undefined || after === undefined || !haveParts(before, after)) {
    differences.push({ path, before, after });
    return;
  }
  const parts = partsOf(before);
  const later = partsOf(after);
  for (const name of new Set([...parts.keys(), ...later.keys()])) {
    const childPath = path === '' ? name.replace(/^\./, '') : path + name;
    compare(parts.get(name), later.get(name), childPath, differences);
  }
}

/** Both objects, or both arrays. */
function haveParts(before: string, after: string): boolean {
  const kind = kindAt(before, 0);
  return kind === kindAt(after, 0) && (kind === 'object' || kind === 'array');
}

/** By `.name` or `[index]`. */
function partsOf(text: string): ReadonlyMap<string, string> {
  return new Map(
    childrenOf(text, 0).map(({ end, name, start }, index) => [
      name === undefined ? `[${index}]` : `.${name}`,
      text.slice(start, end),
    ]),
  );
}

function textOf(text: string): string {
  const { end, start } = rootOf(text);
  return text.slice(start, end);
}
