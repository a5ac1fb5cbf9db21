// Unqualified names and members: which iterator, which path.

import { didYouMean, nearestName } from '../../value/nearest-name.ts';
import { fieldNotFound, nameAmbiguous, nameUnresolved, type OqlError } from '../errors.ts';
import { isGetter } from '../methods/call-method.ts';
import { METHOD_NAMES } from '../methods/method-names.ts';
import type { Member } from '../syntax/ast.ts';
import type { Span } from '../syntax/position.ts';
import type { Binder } from './binder.ts';
import type { BoundExpression, BoundPath, BoundRegionView } from './bound-query.ts';
import { type ElementType, type TypedMembers, UNTYPED } from './element-type.ts';
import type { Scope, ScopeIterator } from './scope.ts';

/** An alias, the name of a visible projection, or a member of the iterator that owns it. */
export function resolveName(
  binder: Binder,
  name: string,
  span: Span,
  scope: Scope | undefined,
): BoundExpression {
  const alias = scope?.findAlias(name);
  if (alias !== undefined && refersToIterator(alias, scope)) return pathOf(alias, NO_MEMBERS, span);
  const projection = findProjection(scope, name);
  if (projection !== undefined) return binder.copy(projection, 1, span);
  const named = binder.definitions.length > 0 ? binder.bindNamed(name, scope) : undefined;
  if (named !== undefined) return named.query;
  return pathOf(requireOwner(binder, name, span, scope), [name], span);
}

export const NO_MEMBERS: readonly string[] = [];

/** Whether a name refers to an iterator: a projection has priority over an enclosing SELECT. */
export function refersToIterator(
  { alias, depth }: ScopeIterator,
  scope: Scope | undefined,
): boolean {
  return depth === scope?.depth || findProjection(scope, alias ?? '') === undefined;
}

/** The projection with that name, in the clauses that come after the projections. */
export function findProjection(
  scope: Scope | undefined,
  name: string,
): BoundExpression | undefined {
  if (scope === undefined || scope.clause === 'projection') return undefined;
  return AFTER_PROJECTIONS.has(scope.clause) ? scope.findProjection(name) : undefined;
}

const AFTER_PROJECTIONS: ReadonlySet<string> = new Set(['group-by', 'having', 'order-by']);

export function pathOf(iterator: ScopeIterator, members: readonly string[], span: Span): BoundPath {
  return { kind: 'path', depth: iterator.depth, iterator: iterator.index, members, span };
}

export function requireOwner(
  binder: Binder,
  name: string,
  span: Span,
  scope: Scope | undefined,
): ScopeIterator {
  const owner = scope?.findOwner(name);
  switch (owner?.kind) {
    case 'found':
      return owner.iterator;
    case 'ambiguous':
      throw nameAmbiguous(binder.locate(span), name, owner.owners.map(nameOf));
    default:
      throw unresolved(binder, name, span, scope, owner?.untyped ?? []);
  }
}

function unresolved(
  binder: Binder,
  name: string,
  span: Span,
  scope: Scope | undefined,
  untyped: readonly ScopeIterator[],
): OqlError {
  const location = binder.locate(span);
  if (untyped.length > 0) {
    const why = `it could belong to ${listOwners(untyped)}, whose types are not known`;
    return nameUnresolved(location, name, why, qualifyHint(name, untyped));
  }
  const isRegion = [...binder.catalog.regionNames()].includes(name);
  const hint = isRegion
    ? `A region is written with a slash: /${name}`
    : didYouMean(nearestName(name, knownNames(scope)));
  return nameUnresolved(location, name, 'nothing in scope has a member of that name', hint);
}

const MAX_LISTED = 4;

function listOwners(iterators: readonly ScopeIterator[]): string {
  const names = iterators.slice(0, MAX_LISTED).map(nameOf);
  return [...names, ...(iterators.length > MAX_LISTED ? ['others'] : [])].join(' or ');
}

/** Only an alias can be written before a name. */
function qualifyHint(name: string, untyped: readonly ScopeIterator[]): string {
  const alias = untyped.find((iterator) => iterator.alias !== undefined)?.alias;
  return alias === undefined
    ? 'Give the iterators aliases, and write the name with the one it belongs to'
    : `Write it with the alias of the iterator it belongs to, such as ${alias}.${name}`;
}

function nameOf(iterator: ScopeIterator): string {
  return iterator.alias ?? iterator.name;
}

/** Aliases and known members in scope, for "did you mean". */
function knownNames(scope: Scope | undefined): readonly string[] {
  const visible = scope?.visibleIterators() ?? [];
  return visible.flatMap(({ alias, type }) => [
    ...(alias === undefined ? [] : [alias]),
    ...(type.kind === 'untyped' ? [] : type.members),
  ]);
}

const VIEWS: Readonly<Partial<Record<string, BoundRegionView['view']>>> = {
  values: 'values',
  getValues: 'values',
  keys: 'keys',
  keySet: 'keys',
  getKeys: 'keys',
  getKeySet: 'keys',
  entries: 'entries',
  entrySet: 'entries',
  getEntries: 'entries',
  getEntrySet: 'entries',
};

/** `/r.keys` and the like, with or without parentheses. */
export function findRegionView(
  target: BoundExpression,
  name: string,
  span: Span,
): BoundRegionView | undefined {
  const view = target.kind === 'region' && Object.hasOwn(VIEWS, name) ? VIEWS[name] : undefined;
  return target.kind === 'region' && view !== undefined
    ? { kind: 'region-view', name: target.name, view, span }
    : undefined;
}

/** Members of a bound expression, each of the one before: a longer path where there is one. */
export function membersOf(
  target: BoundExpression,
  members: readonly { readonly name: string; readonly span: Span }[],
): BoundExpression {
  if (target.kind === 'path') {
    const { depth, iterator } = target;
    const names = [...target.members];
    for (const { name } of members) names.push(name);
    const span = members.at(-1)?.span ?? target.span;
    return { kind: 'path', depth, iterator, members: names, span };
  }
  return members.reduce<BoundExpression>(
    (value, { name, span }) =>
      findRegionView(value, name, span) ?? { kind: 'member', target: value, name, span },
    target,
  );
}

/** Refuses a field that the struct or the entry of an iterator is known not to have. */
export function requireField(
  binder: Binder,
  target: BoundExpression,
  member: Member,
  scope: Scope | undefined,
): void {
  if (target.kind !== 'path' || target.members.length > 0) return;
  requireFieldOf(binder, scope?.typeOf(target.depth, target.iterator) ?? UNTYPED, member);
}

/** The same for a member of a row of that type. */
export function requireFieldOf(binder: Binder, type: ElementType, member: Member): void {
  if (type.kind !== 'struct' && type.kind !== 'entry') return;
  if (type.members.has(member.name) || isEntryAttribute(type, member.name)) return;
  const meant = didYouMean(nearestName(member.name, type.members));
  const hint = meant ?? `Its fields are ${[...type.members].join(', ')}`;
  const location = binder.locate({ start: member.nameStart, end: member.span.end });
  throw fieldNotFound(location, member.name, hint, type.kind);
}

/** `e.getKey` without parentheses, and methods that anything has. */
function isEntryAttribute({ kind }: TypedMembers, name: string): boolean {
  return kind === 'entry' && (METHOD_NAMES.has(name) || isGetter(name));
}
