// The FROM clause: iterators, each of which sees those before it.

import type { Expression, Iterator, TypeName } from '../syntax/ast.ts';
import { bindExpression } from './bind-expression.ts';
import type { Binder } from './binder.ts';
import type { BoundExpression, BoundIterator } from './bound-query.ts';
import { documentType, type ElementType, ENTRY_TYPE, UNTYPED } from './element-type.ts';
import { iteratorNames } from './field-names.ts';
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
    const { source, type } = bindSource(binder, node, scope);
    const isDocument =
      source.kind === 'region' || (source.kind === 'region-view' && source.view === 'values');
    scope.addIterator({ alias: node.alias, name, type, isDocument });
    return { name, source, span: node.span };
  });
}

interface Source {
  readonly source: BoundExpression;
  readonly type: ElementType;
}

function bindSource(binder: Binder, node: Iterator, scope: Scope): Source {
  const { source, type } = bindCollection(binder, node.source, scope);
  return { source, type: node.type === undefined ? type : namedType(binder, node.type) };
}

/** Binds a collection and tells what is known about its elements. */
function bindCollection(binder: Binder, node: Expression, scope: Scope): Source {
  if (node.kind === 'select') {
    const { select, elementType } = binder.bindSelect(node, scope);
    return { source: select, type: elementType };
  }
  const source = bindExpression(binder, node, scope);
  if (node.kind === 'cast') return { source, type: castElementType(binder, node.type) };
  return { source, type: collectionElementType(binder, source) };
}

function collectionElementType(binder: Binder, source: BoundExpression): ElementType {
  if (source.kind !== 'region' && source.kind !== 'region-view') return UNTYPED;
  if (source.kind === 'region-view' && source.view === 'entries') return ENTRY_TYPE;
  // Keys may be asked for any of a string's methods by an unqualified name, so nothing is known.
  if (source.kind === 'region-view' && source.view === 'keys') return UNTYPED;
  return documentType(binder.catalog.findRegion(source.name)?.valueMembers);
}

/** Of `(collection<Order>) x` the elements are Orders; of `(Order) x` x is the only element. */
function castElementType(binder: Binder, type: TypeName): ElementType {
  const [element, value] = type.parameters;
  if (element === undefined) return namedType(binder, type);
  return value === undefined ? namedType(binder, element) : ENTRY_TYPE;
}

/** The type a name stands for. Of numbers, strings and collections no members are known. */
function namedType(binder: Binder, type: TypeName): ElementType {
  const name = binder.imports.get(type.name) ?? type.name;
  if (name === 'java.util.Map$Entry') return ENTRY_TYPE;
  return documentType(binder.catalog.findTypeMembers(name));
}
