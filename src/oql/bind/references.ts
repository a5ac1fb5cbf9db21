// The outer SELECTs and the regions that a part of a query refers to.

import { forEachChild, forEachPart, type SelectParts, someChild } from './bound-children.ts';
import type { BoundExpression, BoundPath, BoundSelect } from './bound-query.ts';
import { regionSourceOf } from './region-source.ts';

/** The enclosing SELECTs and the regions a SELECT refers to. */
export function referencesOf(
  select: SelectParts & Pick<BoundSelect, 'depth'>,
): Pick<BoundSelect, 'outerDepths' | 'regions'> {
  const depths = new Set<number>();
  const regions = new Set<string>();
  forEachPart(select, collectInto(depths, regions));
  // Most subqueries refer only to their own rows.
  depths.delete(select.depth);
  const outerDepths =
    depths.size === 0
      ? []
      : [...depths].filter((depth) => depth < select.depth).sort((a, b) => a - b);
  return { outerDepths, regions: [...regions] };
}

/** The SELECTs whose rows or groups an expression refers to, by their depth. */
export function depthsOf(expression: BoundExpression): ReadonlySet<number> {
  const depths = new Set<number>();
  collectInto(depths, new Set())(expression);
  return depths;
}

/** The regions an expression reads, each once, in order of appearance. */
export function regionsOf(expression: BoundExpression): readonly string[] {
  const regions = new Set<string>();
  collectInto(new Set(), regions)(expression);
  return [...regions];
}

/** The paths in an expression, those of subqueries too, in order of appearance. */
export function pathsIn(expression: BoundExpression): readonly BoundPath[] {
  const paths: BoundPath[] = [];
  const visit = (node: BoundExpression): void => {
    if (node.kind === 'path') paths.push(node);
    else forEachChild(node, visit);
  };
  visit(expression);
  return paths;
}

/** Whether a query is inside an expression, or the expression is one. */
export function hasSelect(expression: BoundExpression): boolean {
  return expression.kind === 'select' || someChild(expression, hasSelect);
}

/** Whether an expression has a subquery or reads a region. */
export function readsRegion(node: BoundExpression): boolean {
  const isSource = node.kind === 'select' || regionSourceOf(node) !== undefined;
  return isSource || someChild(node, readsRegion);
}

/** One closure for the whole traversal, because a text may have thousands of expressions. */
function collectInto(depths: Set<number>, regions: Set<string>): (node: BoundExpression) => void {
  const collect = (node: BoundExpression): void => {
    switch (node.kind) {
      case 'literal':
      case 'parameter':
        return;
      case 'arithmetic':
      case 'comparison':
        collect(node.left);
        collect(node.right);
        return;
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
        // A SELECT already lists the references of its parts.
        for (const depth of node.outerDepths) depths.add(depth);
        for (const region of node.regions) regions.add(region);
        return;
      default:
        forEachChild(node, collect);
    }
  };
  return collect;
}
