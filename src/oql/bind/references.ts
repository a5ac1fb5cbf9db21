// What a part of a query reaches outside of itself.

import { forEachChild } from './bound-children.ts';
import type { BoundExpression, BoundSelect } from './bound-query.ts';

export interface References {
  readonly outerDepths: readonly number[];
  readonly regions: readonly string[];
}

/** The enclosing SELECTs and the regions a SELECT refers to. */
export function referencesOf(select: BoundSelect): References {
  const depths = new Set<number>();
  const regions = new Set<string>();
  forEachChild(select, (child) => collect(child, depths, regions));
  const outerDepths = [...depths].filter((depth) => depth < select.depth).sort((a, b) => a - b);
  return { outerDepths, regions: [...regions] };
}

/** The SELECTs whose rows or groups an expression refers to, by their depth. */
export function depthsOf(expression: BoundExpression): ReadonlySet<number> {
  const depths = new Set<number>();
  collect(expression, depths, new Set());
  return depths;
}

/** The regions an expression reads, each once, in order of appearance. */
export function regionsOf(expression: BoundExpression): readonly string[] {
  const regions = new Set<string>();
  collect(expression, new Set(), regions);
  return [...regions];
}

function collect(node: BoundExpression, depths: Set<number>, regions: Set<string>): void {
  switch (node.kind) {
    case 'path':
    case 'group-key':
    case 'aggregate-result':
      depths.add(node.depth);
      return;
    case 'region':
    case 'region-view':
      regions.add(node.name);
      return;
    case 'select':
      // It has collected its own before.
      for (const depth of node.outerDepths) depths.add(depth);
      for (const region of node.regions) regions.add(region);
      return;
    default:
      forEachChild(node, (child) => collect(child, depths, regions));
  }
}
