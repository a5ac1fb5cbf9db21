// The names of result fields and of iterators that were given none.

import type { Expression, Iterator, Projection } from '../syntax/ast.ts';

/** The field names of the projections, unique. Those without a name are numbered from 0. */
export function projectionNames(projections: readonly Projection[]): readonly string[] {
  let next = 0;
  return uniqueNames(
    projections.map(({ alias, expression }) => alias ?? nameOf(expression) ?? `field$${next++}`),
  );
}

/** The alias of each iterator, or a name from its source; others are numbered from 1. */
export function iteratorNames(from: readonly Iterator[]): readonly string[] {
  let next = 1;
  return from.map(({ alias, source }) => alias ?? nameOf(source) ?? `iter${next++}`);
}

/** A repeated name gets a number, the smallest that makes it unique: `ID`, `ID$2`. */
export function uniqueNames(names: readonly string[]): readonly string[] {
  if (names.length === 1 || new Set(names).size === names.length) return names;
  // Two numbered names differ in the text before the last $, or in the number.
  const taken = new Set(names.filter((name) => name.includes('$')));
  const seen = new Map<string, number>();
  return names.map((name) => {
    let count = (seen.get(name) ?? 0) + 1;
    if (count === 1) {
      seen.set(name, count);
      return name;
    }
    let unique = `${name}$${count}`;
    while (taken.size > 0 && taken.has(unique)) {
      count++;
      unique = `${name}$${count}`;
    }
    seen.set(name, count);
    return unique;
  });
}

/** The default name of an expression: the last name of a path, or the text of a literal. */
function nameOf(node: Expression): string | undefined {
  switch (node.kind) {
    case 'call':
      // In Geode, TO_DATE has no name.
      return node.name === 'TO_DATE' ? undefined : node.name;
    case 'name':
    case 'member':
    case 'method':
      return node.name;
    case 'region-path':
      return node.segments.at(-1);
    case 'literal':
      return node.text;
    case 'cast':
      return nameOf(node.operand);
    case 'aggregate':
      // In Geode, COUNT(*) is called 0.
      return node.argument === undefined ? '0' : nameOf(node.argument);
    default:
      return undefined;
  }
}
