// The direct parts of a node, for everything that walks a tree without caring about each kind.

import type { Expression, SelectExpression } from './ast.ts';

const NONE: readonly Expression[] = [];

/** Whether nothing can stand below an expression of this kind. */
export function isLeaf({ kind }: Expression): boolean {
  return (
    kind === 'literal' ||
    kind === 'name' ||
    kind === 'numbered-parameter' ||
    kind === 'named-parameter' ||
    kind === 'region-path'
  );
}

/** The expressions directly below an expression, in the order of the text. */
export function childrenOf(node: Expression): readonly Expression[] {
  switch (node.kind) {
    case 'literal':
    case 'numbered-parameter':
    case 'named-parameter':
    case 'name':
    case 'region-path':
      return NONE;
    case 'call':
      return node.arguments;
    case 'member':
      return [node.target];
    case 'method':
      return [node.target, ...node.arguments];
    case 'index':
      return [node.target, node.index];
    case 'unary':
    case 'element':
    case 'is-defined':
    case 'cast':
      return [node.operand];
    case 'arithmetic':
    case 'comparison':
      return [node.left, node.right];
    case 'and':
    case 'or':
      return node.operands;
    case 'like':
      return [node.value, node.pattern];
    case 'in':
      return [node.value, node.collection];
    case 'between':
      return [node.value, node.low, node.high];
    case 'is-null':
      return [node.value];
    case 'case':
      return present([
        node.subject,
        ...node.branches.flatMap((branch) => [branch.condition, branch.result]),
        node.otherwise,
      ]);
    case 'nvl':
      return [node.value, node.fallback];
    case 'to-date':
      return [node.text];
    case 'aggregate':
      return present([node.argument]);
    case 'set':
      return node.elements;
    case 'select':
      return childrenOfSelect(node);
  }
}

function childrenOfSelect(select: SelectExpression): readonly Expression[] {
  return present([
    ...select.projections.map((projection) => projection.expression),
    ...select.from.map((iterator) => iterator.source),
    select.where,
    ...select.groupBy,
    select.having,
    ...select.orderBy.map((key) => key.expression),
    select.limit,
    select.offset,
  ]);
}

function present(nodes: readonly (Expression | undefined)[]): readonly Expression[] {
  return nodes.filter((node) => node !== undefined);
}
