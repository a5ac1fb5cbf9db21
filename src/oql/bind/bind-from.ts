// The FROM clause: iterators, each of which sees those before it.

import { ROWS_OR_NULL } from '../functions/operator-functions.ts';
import type { Expression, Iterator, Join, TypeName } from '../syntax/ast.ts';
import { bindExpression } from './bind-expression.ts';
import { call } from './bind-operators.ts';
import { type Binder, isQueryExpression, type QueryBinding } from './binder.ts';
import type { BoundExpression, BoundIterator } from './bound-query.ts';
import { documentType, type ElementType, ENTRY_TYPE, UNTYPED } from './element-type.ts';
import { iteratorNames } from './field-names.ts';
import { selectFrom } from './plain-select.ts';
import { regionSourceOf } from './region-source.ts';
import type { Scope } from './scope.ts';

/** Binds the iterators and adds them to the scope of their SELECT. */
export function bindIterators(
  binder: Binder,
  from: readonly Iterator[],
  scope: Scope,
): readonly BoundIterator[] {
  const names = iteratorNames(from);
  return from.map((node, index) => {
    const name = names[index] ?? '';
    const alias = aliasOf(binder, node, scope);
    const named = alias === node.alias ? node : { ...node, alias };
    const { query: source, elementType: type } = bindSource(binder, named, scope);
    const isDocument = regionSourceOf(source)?.view === 'values';
    const { depth } = scope;
    scope.addIterator({ alias, name, type, isDocument, depth, index });
    return { name, source, span: node.span };
  });
}

/** A query that is named by WITH has that alias, unless FROM gives it another. */
function aliasOf(binder: Binder, node: Iterator, scope: Scope): string | undefined {
  const name = node.source.kind === 'name' ? node.source.name : undefined;
  if (node.alias !== undefined || name === undefined) return node.alias;
  return binder.isNamed(name) && scope.findAlias(name) === undefined ? name : undefined;
}

type Source = Pick<QueryBinding, 'query' | 'elementType'>;

/**
 * `LEFT JOIN /b b ON condition` iterates over the matching rows of b, or over one null:
 *
 *     FROM /a a, rows-or-null(SELECT b FROM /b b WHERE condition) b
 */
function bindLeftJoin(binder: Binder, node: Iterator, join: Join, scope: Scope): Source {
  const { span } = node;
  const alias = node.alias ?? ROW_NAME;
  const inner = selectFrom({ ...node, alias, join: undefined }, join.on);
  const { query, elementType } = binder.bindQuery(inner, scope);
  return { query: call(ROWS_OR_NULL, [query], span), elementType };
}

/** A name that no text can contain. */
const ROW_NAME = ' row';

function bindSource(binder: Binder, node: Iterator, scope: Scope): Source {
  if (node.join?.kind === 'left') return bindLeftJoin(binder, node, node.join, scope);
  const collection = bindCollection(binder, node.source, scope);
  if (node.type === undefined) return collection;
  return { ...collection, elementType: namedType(binder, node.type) };
}

/** Binds a collection and returns the known type of its elements. */
function bindCollection(binder: Binder, node: Expression, scope: Scope): Source {
  if (isQueryExpression(node)) return binder.bindQuery(node, scope);
  const isNamed = node.kind === 'name' && scope.findAlias(node.name) === undefined;
  const named = isNamed ? binder.bindNamed(node.name, scope) : undefined;
  if (named !== undefined) return named;
  const query = bindExpression(binder, node, scope);
  const elementType =
    node.kind === 'cast'
      ? castElementType(binder, node.type)
      : collectionElementType(binder, query);
  return { query, elementType };
}

function collectionElementType(binder: Binder, source: BoundExpression): ElementType {
  const region = regionSourceOf(source);
  if (region?.view === 'entries') return ENTRY_TYPE;
  // An unqualified name may call any method of a key, which is a string, so no members are known.
  if (region === undefined || region.view === 'keys') return UNTYPED;
  return documentType(binder.catalog.findRegion(region.name)?.valueMembers);
}

/** The elements of `(collection<Order>) x` are Orders; the only element of `(Order) x` is x. */
function castElementType(binder: Binder, type: TypeName): ElementType {
  const [element, value] = type.parameters;
  if (element === undefined) return namedType(binder, type);
  return value === undefined ? namedType(binder, element) : ENTRY_TYPE;
}

/** The type of a name. Numbers, strings and collections have no known members. */
function namedType(binder: Binder, type: TypeName): ElementType {
  const name = binder.imports.get(type.name) ?? type.name;
  if (name === 'java.util.Map$Entry') return ENTRY_TYPE;
  return documentType(binder.catalog.findTypeMembers(name));
}
