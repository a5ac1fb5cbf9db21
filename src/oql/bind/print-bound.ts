// A bound expression as one line of text. Two expressions of one query mean the same exactly when
// their texts are equal.
//
// A path prints as `depth.iterator.member.member`, a parameter as `?slot`.

import { printTemporal } from '../../value/temporal.ts';
import { Char, Double, Float, Temporal, UNDEFINED, type Value } from '../../value/value.ts';
import type {
  BoundAggregate,
  BoundExpression,
  BoundRowCount,
  BoundSelect,
  BoundSortKey,
} from './bound-query.ts';

export type Print = (node: BoundExpression) => string;

/** The whole text of an expression, for people to read. */
export function printBound(node: BoundExpression): string {
  return printNode(node, printBound);
}

/** The text of an expression, with `print` for its parts. */
export function printNode(node: BoundExpression, print: Print): string {
  switch (node.kind) {
    case 'literal':
      return printLiteral(node.value);
    case 'parameter':
      return `?${node.slot}`;
    case 'region':
      return `region ${quote(node.name)}`;
    case 'region-view':
      return `${node.view} of region ${quote(node.name)}`;
    case 'path':
      return node.members.reduce(
        (text, name) => `${text}.${printName(name)}`,
        `${node.depth}.${node.iterator}`,
      );
    case 'member':
      return `${print(node.target)}.${printName(node.name)}`;
    case 'method':
      return `${print(node.target)}.${printName(node.name)}(${printList(node.arguments, print)})`;
    case 'index':
      return `${print(node.target)}[${print(node.index)}]`;
    case 'arithmetic':
    case 'comparison':
      return `(${print(node.left)} ${node.operator} ${print(node.right)})`;
    case 'and':
    case 'or':
      return `(${node.operands.map(print).join(` ${node.kind} `)})`;
    case 'like':
      return call(node.negated ? 'not-like' : 'like', [node.value, node.pattern], print);
    case 'in':
      return call('in', [node.value, node.collection], print);
    case 'is-null':
      return call(node.negated ? 'is-not-null' : 'is-null', [node.operand], print);
    case 'is-defined':
      return call(node.negated ? 'is-undefined' : 'is-defined', [node.operand], print);
    case 'negation':
    case 'not':
      return call(node.kind, [node.operand], print);
    case 'case':
      return call(
        'case',
        [...node.branches.flatMap(({ condition, result }) => [condition, result]), node.otherwise],
        print,
      );
    case 'function':
      return call(node.definition.name, node.arguments, print);
    case 'set':
      return call('set', node.elements, print);
    case 'group-key':
      return `key ${node.depth}.${node.key}`;
    case 'aggregate-result':
      return `aggregate ${node.depth}.${node.aggregate}`;
    case 'rows-by-key':
      return call('rows-by-key', node.keys, print);
    case 'select':
      return printSelect(node, print);
  }
}

/** An aggregate; equal texts mean equal results over the same group. */
export function printAggregate(aggregate: BoundAggregate, print: Print): string {
  const argument = aggregate.argument === undefined ? '*' : print(aggregate.argument);
  return `${aggregate.function}(${aggregate.distinct ? 'distinct ' : ''}${argument})`;
}

function printSelect(select: BoundSelect, print: Print): string {
  const { grouping } = select;
  const optional = (node: BoundExpression | undefined): readonly string[] =>
    node === undefined ? [] : [print(node)];
  const clauses: Readonly<Record<string, readonly string[] | undefined>> = {
    hints: select.hints.map(quote),
    from: select.iterators.map(({ name, source }) => `${printName(name)}: ${print(source)}`),
    where: optional(select.where),
    'group by': grouping?.keys.map(print),
    aggregates: grouping?.aggregates.map((each) => printAggregate(each, print)),
    having: optional(grouping?.having),
    project: select.projections.map((each) => `${printName(each.name)}: ${print(each.expression)}`),
    'order by': select.orderBy.map((key) => printSortKey(key, print)),
    limit: printRowCount(select.limit),
    offset: printRowCount(select.offset),
  };
  const printed = Object.entries(clauses).flatMap(([name, parts = []]) =>
    parts.length === 0 ? [] : [`${name} ${parts.join(', ')}`],
  );
  return `{${[`select${select.distinct ? ' distinct' : ''} ${select.shape}`, ...printed].join(' ')}}`;
}

function printSortKey(key: BoundSortKey, print: Print): string {
  const projection = key.projection === undefined ? '' : ` = projection ${key.projection}`;
  return `${print(key.expression)} ${key.direction}${projection}`;
}

function printRowCount(count: BoundRowCount | undefined): readonly string[] {
  if (count === undefined) return [];
  return [count.kind === 'rows' ? String(count.rows) : `?${count.slot}`];
}

function call(name: string, operands: readonly BoundExpression[], print: Print): string {
  return `${name}(${printList(operands, print)})`;
}

function printList(expressions: readonly BoundExpression[], print: Print): string {
  return expressions.map(print).join(', ');
}

/** The kind of a number is part of its text, and so is the sign of zero: `1`, `1d`, `1f`, `-0d`. */
function printLiteral(value: Value): string {
  if (value === UNDEFINED) return 'undefined';
  if (typeof value === 'string') return quote(value);
  if (value instanceof Double) return `${printDouble(value.value)}d`;
  if (value instanceof Float) return `${printDouble(value.value)}f`;
  if (value instanceof Char) return `char ${quote(value.unit)}`;
  if (value instanceof Temporal) return `${value.kind} ${quote(printTemporal(value))}`;
  return String(value);
}

function printDouble(value: number): string {
  return Object.is(value, -0) ? '-0' : String(value);
}

function printName(name: string): string {
  return /^[\p{L}_][\p{L}\p{M}\p{N}_$]*$/u.test(name) ? name : JSON.stringify(name);
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
