// Queries within queries: SELECT, the set operations between them, and WITH before them.

import { printAmount } from '../../value/print-amount.ts';
import { groupingInvalid, syntaxError } from '../errors.ts';
import { defineSetOperation } from '../functions/operator-functions.ts';
import type { Expression, SetOperation, SortKey, With } from '../syntax/ast.ts';
import { hasRowOrder } from '../syntax/parse-set-operation.ts';
import { bindExpression } from './bind-expression.ts';
import { call } from './bind-operators.ts';
import { bindRowCount, bindSelect, orderNulls } from './bind-select.ts';
import {
  type Binder,
  isQueryExpression,
  type QueryBinding,
  type QueryExpression,
} from './binder.ts';
import type { BoundExpression, BoundSelect, BoundSortKey } from './bound-query.ts';
import { UNTYPED } from './element-type.ts';
import { selectRowsOf } from './plain-select.ts';
import { Scope } from './scope.ts';

export function bindQueryExpression(
  binder: Binder,
  node: QueryExpression,
  outer: Scope | undefined,
): QueryBinding {
  switch (node.kind) {
    case 'select':
      return bindSelect(binder, node, outer);
    case 'set-operation':
      return bindSetOperation(binder, node, outer);
    case 'with':
      return bindWith(binder, node, outer);
  }
}

function bindWith(binder: Binder, node: With, outer: Scope | undefined): QueryBinding {
  const definitions = [...binder.definitions, ...node.definitions];
  return binder.withDefinitions(definitions, () => bindOperand(binder, node.body, outer));
}

function bindOperand(binder: Binder, node: Expression, outer: Scope | undefined): QueryBinding {
  if (isQueryExpression(node)) return bindQueryExpression(binder, node, outer);
  const query = bindExpression(binder, node, outer);
  return { query, elementType: UNTYPED, columns: undefined };
}

function bindSetOperation(
  binder: Binder,
  node: SetOperation,
  outer: Scope | undefined,
): QueryBinding {
  const isOrdered = hasRowOrder(node);
  // ORDER BY sorts the rows of a select that is wrapped around the operation.
  const scope = isOrdered ? new Scope(outer) : outer;
  const left = bindOperand(binder, node.left, scope);
  const right = bindOperand(binder, node.right, scope);
  requireSameColumns(binder, node, left, right);
  const names = left.columns?.map(({ name }) => name);
  const definition = defineSetOperation(node.operator, node.all, names);
  const rows = call(definition, [left.query, right.query], node.span);
  const { elementType, columns } = left;
  if (scope === undefined || !isOrdered) return { query: rows, elementType, columns };
  const query = orderRows(binder, node, rows, names, scope.depth);
  return { query, elementType, columns };
}

function requireSameColumns(
  binder: Binder,
  { operator, right: node }: SetOperation,
  left: QueryBinding,
  right: QueryBinding,
): void {
  const first = left.columns?.length ?? 1;
  const second = right.columns?.length ?? 1;
  const isSameShape = (left.columns === undefined) === (right.columns === undefined);
  if (first === second && isSameShape) return;
  const isCount = first !== second;
  const hint = isCount ? undefined : 'Give both a name, or neither: SELECT o.id AS id';
  const what = isCount
    ? `${printAmount(first, 'column')} and ${second}`
    : 'bare values and structs';
  throw groupingInvalid(
    binder.locate(node.span),
    `The queries around ${operator.toUpperCase()} give ${what}`,
    hint,
  );
}

/** `SELECT * FROM (rows) ORDER BY … LIMIT …` */
function orderRows(
  binder: Binder,
  node: SetOperation,
  source: BoundExpression,
  columns: readonly string[] | undefined,
  depth: number,
): BoundSelect {
  const keys = node.orderBy.map((key) => bindColumn(binder, key, columns, depth));
  return {
    ...selectRowsOf(source, depth),
    orderBy: keys.flatMap((key, column) => orderNulls(key, node.orderBy[column]?.nulls)),
    limit: bindRowCount(binder, node.limit),
    offset: bindRowCount(binder, node.offset),
  };
}

/** A column of the result, by its name or its number. */
function bindColumn(
  binder: Binder,
  { expression: node, direction }: SortKey,
  columns: readonly string[] | undefined,
  depth: number,
): BoundSortKey {
  const { span } = node;
  const members = columnOf(node, columns);
  if (members === undefined) {
    const reason = 'ORDER BY of a set operation takes the name or the number of a column';
    const hint = columns && `Its columns are ${columns.join(', ')}`;
    throw syntaxError(binder.locate(span), reason, hint);
  }
  const expression = { kind: 'path', depth, iterator: 0, members, span } as const;
  return { expression, direction, projection: undefined };
}

/** The members of a row that make a column; none where rows are bare values. */
function columnOf(
  node: Expression,
  columns: readonly string[] | undefined,
): readonly string[] | undefined {
  const isNumber = node.kind === 'literal' && node.type === 'int';
  const isName = node.kind === 'name' || node.kind === 'member';
  if (columns === undefined) {
    return isName || (isNumber && node.text === '1') ? [] : undefined;
  }
  const name = isName ? node.name : isNumber ? columns[Number(node.text) - 1] : undefined;
  return name !== undefined && columns.includes(name) ? [name] : undefined;
}
