// Counts how often each construct of the language occurs in queries, to check a generator.

import type { Expression } from '../../syntax/ast.ts';
import { parseQuery } from '../../syntax/parse-query.ts';

/** Share of the queries that have a construct, from 0 to 1. */
export type Census = ReadonlyMap<string, number>;

export function takeCensus(texts: readonly string[]): Census {
  const counts = new Map<string, number>();
  for (const text of texts) {
    for (const construct of constructsOf(text)) {
      counts.set(construct, (counts.get(construct) ?? 0) + 1);
    }
  }
  return new Map([...counts].sort().map(([name, count]) => [name, count / texts.length]));
}

/** The kinds of its nodes, and other features that distinguish nodes of a kind. */
function constructsOf(text: string): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (node: unknown, isInner: boolean): void => {
    if (Array.isArray(node)) {
      for (const each of node) visit(each, isInner);
      return;
    }
    if (typeof node !== 'object' || node === null) return;
    if ('kind' in node) {
      // Every node with a kind is an expression, except the parts of clauses.
      const expression = node as Expression;
      for (const name of namesOf(expression, isInner)) found.add(name);
    }
    const inner = isInner || ('kind' in node && node.kind === 'select');
    for (const [name, child] of Object.entries(node)) {
      if (name !== 'span' && name !== 'nameSpan' && name !== 'value') visit(child, inner);
      else if (name === 'value' && typeof child === 'object' && child !== null && 'span' in child) {
        visit(child, inner);
      }
    }
  };
  const { imports, query, trace } = parseQuery(text);
  visit(query, false);
  if (trace) found.add('trace');
  if (imports.length > 0) found.add('import');
  return found;
}

function namesOf(node: Expression, isInner: boolean): readonly string[] {
  switch (node.kind) {
    case 'select':
      return [
        isInner ? 'subquery' : 'select',
        ...(node.distinct ? ['distinct'] : []),
        ...(node.hints.length > 0 ? ['hint'] : []),
        ...(node.from.length > 1 ? ['several iterators'] : []),
        ...node.from.flatMap(({ join, type }) => [
          ...(join === undefined ? [] : [`${join.kind} join`]),
          ...(type === undefined ? [] : ['type of an iterator']),
        ]),
        ...(node.groupBy.length > 0 ? ['group by'] : []),
        ...(node.having === undefined ? [] : ['having']),
        ...(node.orderBy.length > 0 ? ['order by'] : []),
        ...(node.orderBy.some(({ nulls }) => nulls !== undefined) ? ['nulls first or last'] : []),
        ...(node.limit === undefined ? [] : ['limit']),
        ...(node.offset === undefined ? [] : ['offset']),
      ];
    case 'aggregate':
      return [`aggregate ${node.function}`, ...(node.distinct ? ['aggregate distinct'] : [])];
    case 'literal':
      return [`literal ${node.type}`];
    case 'unary':
    case 'arithmetic':
      return [node.operator];
    case 'comparison':
      return [node.quantifier === undefined ? 'comparison' : `comparison ${node.quantifier}`];
    case 'like':
      return [node.ignoresCase ? 'ilike' : 'like', ...(node.negated ? ['not like'] : [])];
    case 'set':
      return [`${node.form} of values`];
    case 'set-operation':
      return [`${node.operator}${node.all ? ' all' : ''}`];
    default:
      return [node.kind];
  }
}
