// The direct children of bound expressions: a table for rewriting, and a walk for the frequent
// kinds that makes no copies. A test compares the two.

import type {
  BoundArithmetic,
  BoundComparison,
  BoundExpression,
  BoundGrouping,
  BoundSelect,
} from './bound-query.ts';

type ChangePart = (expression: BoundExpression) => BoundExpression;

/** A copy of the expression with each direct part changed; aggregates' arguments are parts too. */
export function mapChildren(node: BoundExpression, change: ChangePart): BoundExpression {
  switch (node.kind) {
    case 'literal':
    case 'parameter':
    case 'region':
    case 'region-view':
    case 'path':
    case 'group-key':
    case 'aggregate-result':
      return node;
    case 'function':
      return { ...node, arguments: node.arguments.map(change) };
    case 'member':
      return { ...node, target: change(node.target) };
    case 'method':
      return { ...node, target: change(node.target), arguments: node.arguments.map(change) };
    case 'index':
      return { ...node, target: change(node.target), index: change(node.index) };
    case 'negation':
    case 'not':
    case 'is-null':
    case 'is-defined':
      return { ...node, operand: change(node.operand) };
    case 'arithmetic':
    case 'comparison':
      return { ...node, left: change(node.left), right: change(node.right) };
    case 'and':
    case 'or':
      return { ...node, operands: node.operands.map(change) };
    case 'like':
      return { ...node, value: change(node.value) };
    case 'in':
      return { ...node, value: change(node.value), collection: change(node.collection) };
    case 'case':
      return {
        ...node,
        branches: node.branches.map(({ condition, result }) => ({
          condition: change(condition),
          result: change(result),
        })),
        otherwise: change(node.otherwise),
      };
    case 'set':
      return { ...node, elements: node.elements.map(change) };
    case 'rows-by-key':
      return { ...node, keys: node.keys.map(change) };
    case 'select':
      return mapSelect(node, change);
  }
}

/** The same for a SELECT. */
export function mapSelect(select: BoundSelect, change: ChangePart): BoundSelect {
  return {
    ...select,
    iterators: select.iterators.map((iterator) => ({
      ...iterator,
      source: change(iterator.source),
    })),
    where: select.where && change(select.where),
    grouping: select.grouping && mapGrouping(select.grouping, change),
    projections: select.projections.map((projection) => ({
      ...projection,
      expression: change(projection.expression),
    })),
    orderBy: select.orderBy.map((key) => ({ ...key, expression: change(key.expression) })),
  };
}

function mapGrouping(grouping: BoundGrouping, change: ChangePart): BoundGrouping {
  return {
    keys: grouping.keys.map(change),
    aggregates: grouping.aggregates.map((aggregate) => ({
      ...aggregate,
      argument: aggregate.argument && change(aggregate.argument),
    })),
    having: grouping.having && change(grouping.having),
  };
}

/** The same, but returns the expression itself if no part changes. */
export function mapChanged(node: BoundExpression, change: ChangePart): BoundExpression {
  if (node.kind === 'arithmetic' || node.kind === 'comparison') return mapOperands(node, change);
  let isChanged = false;
  const mapped = mapChildren(node, (child) => {
    const changed = change(child);
    isChanged ||= changed !== child;
    return changed;
  });
  return isChanged ? mapped : node;
}

/** The same without a temporary copy, because a text may have thousands of operators. */
function mapOperands(node: BoundArithmetic | BoundComparison, change: ChangePart): BoundExpression {
  const left = change(node.left);
  const right = change(node.right);
  return left === node.left && right === node.right ? node : { ...node, left, right };
}

type Visit = (child: BoundExpression) => void;

/** Calls `visit` for each direct part of an expression, without a copy of anything. */
export function forEachChild(node: BoundExpression, visit: Visit): void {
  switch (node.kind) {
    case 'literal':
    case 'parameter':
    case 'region':
    case 'region-view':
    case 'path':
    case 'group-key':
    case 'aggregate-result':
      return;
    case 'function':
      for (const argument of node.arguments) visit(argument);
      return;
    case 'arithmetic':
    case 'comparison':
      visit(node.left);
      visit(node.right);
      return;
    case 'and':
    case 'or':
      for (const operand of node.operands) visit(operand);
      return;
    case 'set':
      for (const element of node.elements) visit(element);
      return;
    case 'negation':
    case 'not':
    case 'is-null':
    case 'is-defined':
      visit(node.operand);
      return;
    case 'in':
      visit(node.value);
      visit(node.collection);
      return;
    case 'select':
      forEachPart(node, visit);
      return;
    default:
      visitCopied(node, visit);
  }
}

/** Whether a test is true for a direct part of an expression. */
export function someChild(
  node: BoundExpression,
  isTrue: (child: BoundExpression) => boolean,
): boolean {
  let isFound = false;
  forEachChild(node, (child) => {
    isFound ||= isTrue(child);
  });
  return isFound;
}

/**
 * For rare kinds. A separate function, because a function that contains a closure allocates on
 * every call.
 */
function visitCopied(node: BoundExpression, visit: Visit): void {
  mapChildren(node, (child) => {
    visit(child);
    return child;
  });
}

export type SelectParts = Pick<
  BoundSelect,
  'iterators' | 'where' | 'grouping' | 'projections' | 'orderBy'
>;

/** Calls `visit` for each direct part of a SELECT. */
export function forEachPart(select: SelectParts, visit: Visit): void {
  const { grouping } = select;
  // The first long text of a process runs in V8's interpreter, which is slow at loops over arrays.
  select.iterators.forEach(({ source }) => {
    visit(source);
  });
  if (select.where !== undefined) visit(select.where);
  if (grouping !== undefined) forEachPartOfGrouping(grouping, visit);
  select.projections.forEach(({ expression }) => {
    visit(expression);
  });
  for (const { expression } of select.orderBy) visit(expression);
}

function forEachPartOfGrouping(grouping: BoundGrouping, visit: Visit): void {
  for (const key of grouping.keys) visit(key);
  grouping.aggregates.forEach(({ argument }) => {
    if (argument !== undefined) visit(argument);
  });
  if (grouping.having !== undefined) visit(grouping.having);
}
