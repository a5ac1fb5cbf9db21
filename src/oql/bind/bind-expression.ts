// Binds expressions: names become paths, shorthands are expanded.

import type { ComparisonOperator } from '../../value/compare.ts';
import { nearestName } from '../../value/nearest-name.ts';
import {
  aggregateMisplaced,
  likePatternInvalid,
  regionNotFound,
  regionNotPermitted,
  typeNotFound,
} from '../errors.ts';
import { ELEMENT, NVL } from '../functions/operator-functions.ts';
import { AGGREGATES } from '../syntax/aggregate-functions.ts';
import type {
  Aggregate,
  Arithmetic,
  Between,
  Call,
  Case,
  Comparison,
  Expression,
  In,
  Like,
  Literal,
  Member,
  MethodCall,
  Name,
  Placeholder,
  RegionPath,
  TypeName,
} from '../syntax/ast.ts';
import { isBuiltInType } from '../syntax/parse-type.ts';
import type { Span } from '../syntax/position.ts';
import { printRegionPath } from '../syntax/region-path.ts';
import { type Bind, bindLogic, joinOperands, negate } from './bind-logic.ts';
import {
  bindArithmetic,
  bindIlike,
  bindIsType,
  bindList,
  bindOperation,
  bindQuantified,
  call,
  intervalParts,
  isCollection,
  isInterval,
  isPlainOperation,
  operation,
  scalar,
} from './bind-operators.ts';
import type { Binder } from './binder.ts';
import type { BoundExpression, BoundLiteral, BoundParameter } from './bound-query.ts';
import { refuseMistakenOr } from './refuse-mistaken-or.ts';
import { requireMethod } from './require-method.ts';
import { resolveCall } from './resolve-call.ts';
import {
  findRegionView,
  membersOf,
  pathOf,
  refersToIterator,
  requireField,
  requireFieldOf,
  resolveName,
} from './resolve-name.ts';
import type { Clause, Scope } from './scope.ts';

/** Binds an expression in a scope; there is none around a query that is not a SELECT. */
export function bindExpression(
  binder: Binder,
  node: Expression,
  scope: Scope | undefined,
): BoundExpression {
  const { span } = node;
  switch (node.kind) {
    case 'literal':
      return bindLiteral(node);
    case 'numbered-parameter':
    case 'named-parameter':
      return bindPlaceholder(binder, node);
    case 'name':
      return resolveName(binder, node.name, span, scope);
    case 'region-path':
      return bindRegion(binder, node);
    case 'member':
      return node.target.kind === 'member'
        ? bindChain(binder, node, scope)
        : bindMember(binder, node, scope);
    case 'arithmetic':
      return bindSum(binder, node, scope);
    case 'comparison': {
      refuseMistakenOr(binder, node);
      const { quantifier } = node;
      if (quantifier !== undefined) {
        return bindQuantified(node, quantifier, bindIn(binder, scope));
      }
      const left = bindExpression(binder, node.left, scope);
      return compare(node.operator, left, bindExpression(binder, node.right, scope), span);
    }
    default:
      return bindCompound(binder, node, scope, bindIn(binder, scope));
  }
}

/** A separate function, because a function that contains a closure allocates on every call. */
function bindIn(binder: Binder, scope: Scope | undefined): Bind {
  return (node) => bindExpression(binder, node, scope);
}

/** The most frequent kinds are bound above, without a function per expression. */
type Compound = Exclude<
  Expression,
  Literal | Placeholder | Name | RegionPath | Member | Arithmetic | Comparison
>;

function bindCompound(
  binder: Binder,
  node: Compound,
  scope: Scope | undefined,
  bind: Bind,
): BoundExpression {
  const { span } = node;
  switch (node.kind) {
    case 'call':
      return resolveCall(binder, node, bindArguments(node, bind), scope);
    case 'method':
      return bindMethod(binder, node, scope);
    case 'index':
      return { kind: 'index', target: bind(node.target), index: bind(node.index), span };
    case 'unary':
      if (node.operator === 'not') return bindLogic(node, bind);
      return { kind: 'negation', operand: bind(node.operand), span };
    case 'and':
    case 'or':
      return bindLogic(node, bind);
    case 'like':
      return node.ignoresCase ? bindIlike(node, bind) : bindLike(binder, node, bind);
    case 'in':
      return bindMembership(node, bind);
    case 'between':
      return bindBetween(binder, node, bind);
    case 'is-null':
      return { kind: 'is-null', operand: bind(node.value), negated: node.negated, span };
    case 'is-type':
      return bindIsType(node, bind);
    case 'case':
      return bindCase(binder, node, bind);
    case 'element':
      return call(ELEMENT, [bind(node.operand)], span);
    case 'nvl':
      return call(NVL, [bind(node.value), bind(node.fallback)], span);
    case 'is-defined':
      return { kind: 'is-defined', operand: bind(node.operand), negated: node.negated, span };
    case 'aggregate':
      return bindAggregate(binder, node, scope);
    case 'set':
      if (node.form === 'list') return bindList(node, bind);
      return { kind: 'set', elements: node.elements.map(bind), span };
    case 'cast':
      requireType(binder, node.type);
      return bind(node.operand);
    case 'set-operation':
    case 'with':
    case 'select':
      return binder.bindQuery(node, scope).query;
  }
}

/** `DATE_ADD(date, INTERVAL '3' DAY)` takes the amount and the unit of the interval. */
function bindArguments({ name, arguments: args }: Call, bind: Bind): readonly BoundExpression[] {
  const hasInterval = args.some(isInterval) && /^date_(?:add|sub)$/i.test(name);
  if (!hasInterval) return args.map(bind);
  return args.flatMap((node) => (isInterval(node) ? intervalParts(node, bind) : bind(node)));
}

/** Binds a chain such as `a + b + …` in a loop, because a recursive call per operand is slow. */
function bindSum(binder: Binder, node: Arithmetic, scope: Scope | undefined): BoundExpression {
  if (node.operator === '||') refuseMistakenOr(binder, node);
  if (node.left.kind !== 'arithmetic') return bindOneSum(binder, node, scope);
  const links: Arithmetic[] = [];
  let first = node;
  while (first.left.kind === 'arithmetic') {
    links.push(first);
    first = first.left;
    if (first.operator === '||') refuseMistakenOr(binder, first);
  }
  let sum = bindOneSum(binder, first, scope);
  for (let link = links.pop(); link !== undefined; link = links.pop()) {
    sum = isPlainOperation(link)
      ? operation(link.operator, sum, bindExpression(binder, link.right, scope), link.span)
      : bindOperation(link, sum, bindIn(binder, scope));
  }
  return sum;
}

function bindOneSum(binder: Binder, node: Arithmetic, scope: Scope | undefined): BoundExpression {
  if (!isPlainOperation(node)) return bindArithmetic(node, bindIn(binder, scope));
  const left = bindExpression(binder, node.left, scope);
  return operation(node.operator, left, bindExpression(binder, node.right, scope), node.span);
}

function bindLiteral({ value, span }: Literal): BoundLiteral {
  return { kind: 'literal', value, span };
}

function bindPlaceholder(binder: Binder, placeholder: Placeholder): BoundParameter {
  return { kind: 'parameter', slot: binder.slotOf(placeholder), span: placeholder.span };
}

function bindRegion(binder: Binder, { segments, span }: RegionPath): BoundExpression {
  const name = segments.length === 1 ? (segments[0] ?? '') : segments.join('/');
  const region = binder.catalog.findRegion(name);
  if (region === undefined) {
    const names = [...binder.catalog.regionNames()];
    // `/my.region` reads the member `region` of the region `my`.
    const nearest = names.find((each) => each.startsWith(`${name}.`)) ?? nearestName(name, names);
    const hint = nearest === undefined ? undefined : `Did you mean ${printRegionPath(nearest)}?`;
    throw regionNotFound(binder.locate(span), name, hint);
  }
  if (region.type === 'EMPTY') throw regionNotPermitted(binder.locate(span), name, region.type);
  return { kind: 'region', name, view: 'values', span };
}

function bindMember(binder: Binder, node: Member, scope: Scope | undefined): BoundExpression {
  const row = node.target.kind === 'name' ? scope?.findAlias(node.target.name) : undefined;
  if (row !== undefined && refersToIterator(row, scope)) {
    requireFieldOf(binder, row.type, node);
    return pathOf(row, [node.name], node.span);
  }
  const target = bindExpression(binder, node.target, scope);
  requireField(binder, target, node, scope);
  return membersOf(target, [node]);
}

/** Binds a chain of members at once: one path, and no copy per member. */
function bindChain(binder: Binder, node: Member, scope: Scope | undefined): BoundExpression {
  const chain: Member[] = [];
  let target: Expression = node;
  for (; target.kind === 'member'; target = target.target) chain.push(target);
  const bound = bindExpression(binder, target, scope);
  chain.reverse();
  const [first] = chain;
  if (first !== undefined) requireField(binder, bound, first, scope);
  return membersOf(bound, chain);
}

function bindMethod(binder: Binder, node: MethodCall, scope: Scope | undefined): BoundExpression {
  const { name, span } = node;
  const target = bindExpression(binder, node.target, scope);
  const args = node.arguments.map((argument) => bindExpression(binder, argument, scope));
  const view = args.length === 0 ? findRegionView(target, name, span) : undefined;
  if (view === undefined) requireMethod(binder, node);
  return view ?? { kind: 'method', target, name, arguments: args, span };
}

function bindMembership({ value, collection, negated, span }: In, bind: Bind): BoundExpression {
  const membership = {
    kind: 'in',
    value: bind(value),
    collection: bind(collection),
    span,
  } as const;
  return negated ? negate(membership, span) : membership;
}

function compare(
  operator: ComparisonOperator,
  left: BoundExpression,
  right: BoundExpression,
  span: Span,
): BoundExpression {
  const hasSelect = left.kind === 'select' || right.kind === 'select';
  if (!hasSelect || (isCollection(left) && isCollection(right))) {
    return { kind: 'comparison', operator, left, right, span };
  }
  return { kind: 'comparison', operator, left: scalar(left), right: scalar(right), span };
}

function bindLike(binder: Binder, node: Like, bind: Bind): BoundExpression {
  const { pattern, negated, span } = node;
  const isConstant =
    pattern.kind === 'literal' ||
    pattern.kind === 'numbered-parameter' ||
    pattern.kind === 'named-parameter';
  if (!isConstant || (pattern.kind === 'literal' && pattern.type === 'null')) {
    const location = binder.locate(pattern.span);
    const isQuoted = location.text.charAt(pattern.span.start) === '"';
    const hint = isQuoted ? 'Texts are in single quotes' : undefined;
    throw likePatternInvalid(location, hint);
  }
  const bound =
    pattern.kind === 'literal' ? bindLiteral(pattern) : bindPlaceholder(binder, pattern);
  return { kind: 'like', value: bind(node.value), pattern: bound, negated, span };
}

/** `x BETWEEN a AND b` is `x >= a AND x <= b`; NOT BETWEEN is its negation, pushed inward. */
function bindBetween(binder: Binder, node: Between, bind: Bind): BoundExpression {
  const value = binder.copy(bind(node.value), 1, node.span);
  const atLeast = compare('>=', value, bind(node.low), node.span);
  const atMost = compare('<=', value, bind(node.high), node.span);
  const range = joinOperands('and', [atLeast, atMost], node.span);
  return node.negated ? negate(range, node.span) : range;
}

/** `CASE x WHEN 1 …` is `CASE WHEN x = 1 …`; without ELSE the result is null. */
function bindCase(binder: Binder, node: Case, bind: Bind): BoundExpression {
  const copies = node.branches.length - 1;
  const subject = node.subject && binder.copy(bind(node.subject), copies, node.span);
  const branches = node.branches.map((branch) => {
    const condition = bind(branch.condition);
    return {
      condition:
        subject === undefined ? condition : compare('=', subject, condition, branch.condition.span),
      result: bind(branch.result),
    };
  });
  const otherwise: BoundExpression =
    node.otherwise === undefined
      ? { kind: 'literal', value: null, span: node.span }
      : bind(node.otherwise);
  return { kind: 'case', branches, otherwise, span: node.span };
}

const NO_AGGREGATE_IN: Readonly<Partial<Record<Clause, string>>> = {
  from: 'FROM',
  where: 'WHERE',
  'group-by': 'GROUP BY',
  aggregate: 'another aggregate',
};

/** Collects the aggregate in its SELECT; the expression around it refers to the result. */
function bindAggregate(binder: Binder, node: Aggregate, scope: Scope | undefined): BoundExpression {
  const { function: aggregate, distinct, span } = node;
  if (scope === undefined) {
    const reason = `${aggregate.toUpperCase()} stands outside of any SELECT`;
    throw aggregateMisplaced(binder.locate(span), reason);
  }
  const { clause } = scope;
  const forbidden = NO_AGGREGATE_IN[clause];
  if (forbidden !== undefined) {
    const hint = clause === 'where' ? 'Conditions on groups of rows belong to HAVING' : undefined;
    const reason = `${aggregate.toUpperCase()} may not stand in ${forbidden}`;
    throw aggregateMisplaced(binder.locate(span), reason, hint);
  }
  scope.clause = 'aggregate';
  const { dependsOnOrder, takesCollections } = AGGREGATES[aggregate];
  const bare = node.argument && bindExpression(binder, node.argument, scope);
  const argument = bare === undefined || takesCollections ? bare : scalar(bare);
  scope.clause = clause;
  const bound = { function: aggregate, distinct, dependsOnOrder, argument, span };
  const index = scope.collectAggregate(bound, binder.identities);
  return { kind: 'aggregate-result', depth: scope.depth, aggregate: index, span };
}

function requireType(binder: Binder, type: TypeName): void {
  if (!isBuiltInType(type.name) && !binder.imports.has(type.name)) {
    throw typeNotFound(binder.locate(type.span), type.name);
  }
  for (const parameter of type.parameters) requireType(binder, parameter);
}
