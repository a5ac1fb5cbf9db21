// Chooses the indexes of a region that a query may use. Only these are opened, and built if
// necessary: an index on a path that is only projected would cost much and serve nothing.

import { extendPath, pathKey } from '../../value/column-path.ts';
import { forEachChild } from '../bind/bound-children.ts';
import type { BoundExpression } from '../bind/bound-query.ts';
import { pathsIn } from '../bind/references.ts';
import type { ColumnSource, IndexFacts, MapElement } from '../columnar/column-source.ts';
import { columnNumberFinder, type VectorShape } from '../columnar/shape.ts';
import { pathUseOf, termFinder, termKey, termsOf } from '../columnar/terms.ts';
import { subjectOf } from './lookup.ts';

export interface WantedIndexes {
  /** All indexes of each table's region. */
  readonly indexes: readonly (readonly IndexFacts[])[];
  /** The tables to open, with the indexes that may be useful. */
  readonly requests: VectorShape['requests'];
}

export function wantIndexes(shape: VectorShape, columns: ColumnSource): WantedIndexes {
  const indexes = shape.requests.map(({ region }) => columns.indexesOf(region));
  if (indexes.every(({ length }) => length === 0)) return { indexes, requests: shape.requests };
  const useful = usefulTerms(shape);
  const elements = findElements(shape, indexes);
  const requests = shape.requests.map((request, table) => {
    const mapElements = elements[table] ?? [];
    // An index on several terms is read by its first one.
    const served = (indexes[table] ?? []).filter((index) => {
      const [first] = termsOf(index);
      return first !== undefined && useful.has(termKey(table, first));
    });
    return {
      ...request,
      paths: [...request.paths, ...mapElements.map(({ path }) => path)],
      indexes: served.map(({ name }) => name),
      mapElements,
    };
  });
  return { indexes: indexes.map((all, table) => expand(all, elements[table] ?? [])), requests };
}

/** The members of indexed maps that WHERE refers to, by table. */
function findElements(
  shape: VectorShape,
  indexes: readonly (readonly IndexFacts[])[],
): readonly (readonly MapElement[])[] {
  const { where } = shape.select;
  const elements = indexes.map(() => new Map<string, MapElement>());
  const hasMaps = indexes.flat().some(({ map }) => map !== undefined);
  if (where === undefined || !hasMaps) return elements.map(() => []);
  const columnNumberOf = columnNumberFinder(shape.columns);
  const visit = (expression: BoundExpression): void => {
    const { path, key } = pathUseOf(expression) ?? {};
    if (path !== undefined && key !== undefined) {
      const table = shape.iterators[path.iterator]?.table ?? -1;
      const own = shape.columns[columnNumberOf(path)]?.path;
      for (const element of elementsOf(indexes[table] ?? [], own, key)) {
        elements[table]?.set(`${element.index}-${element.key}`, element);
      }
    }
    forEachChild(expression, visit);
  };
  visit(where);
  return elements.map((byName) => [...byName.values()]);
}

function elementsOf(
  indexes: readonly IndexFacts[],
  own: IndexFacts['path'],
  key: string,
): readonly MapElement[] {
  if (own === undefined) return [];
  return indexes.flatMap(({ name, map }) => {
    const isListed = map !== undefined && (map.keys === '*' || map.keys.includes(key));
    if (!isListed || pathKey(map.path) !== pathKey(own)) return [];
    return [{ index: name, key, path: extendPath(own, [key]) }];
  });
}

/** Replaces an index on a map by one index for each member that the query reads. */
function expand(
  indexes: readonly IndexFacts[],
  elements: readonly MapElement[],
): readonly IndexFacts[] {
  return indexes.flatMap((index) => {
    const own = elements.filter((element) => element.index === index.name);
    if (own.length === 0) return [index];
    return own.map(({ key, path }) => ({
      name: `${index.name}-${key}`,
      kind: index.kind,
      path,
      whole: index,
    }));
  });
}

/** The `termKey`s of conditions, joins, the first sort key, MIN and MAX, and DISTINCT. */
export function usefulTerms(shape: VectorShape): ReadonlySet<string> {
  const { where, orderBy, grouping, distinct, projections } = shape.select;
  const expressions = [
    where,
    orderBy[0]?.expression,
    ...(grouping?.aggregates ?? []).map(({ argument }) => argument),
    distinct ? projections[0]?.expression : undefined,
  ].filter((expression) => expression !== undefined);
  return termsIn(shape, expressions);
}

/** The `termKey`s of paths, and of the subjects of conditions, in some expressions. */
export function termsIn(
  shape: VectorShape,
  expressions: readonly BoundExpression[],
): ReadonlySet<string> {
  const findTerm = termFinder(shape);
  const keys = new Set<string>();
  const add = (expression: BoundExpression): void => {
    const rowTerm = findTerm(expression);
    if (rowTerm !== undefined) keys.add(termKey(rowTerm.table, rowTerm.term));
  };
  for (const expression of expressions) {
    pathsIn(expression).forEach(add);
    forEachSubject(expression, add);
  }
  return keys;
}

/** The subjects of the conditions in an expression; one that is no condition is its own subject. */
function forEachSubject(
  expression: BoundExpression,
  visit: (subject: BoundExpression) => void,
): void {
  if (expression.kind === 'and' || expression.kind === 'or' || expression.kind === 'not') {
    forEachChild(expression, (operand) => forEachSubject(operand, visit));
  } else {
    visit(subjectOf(expression) ?? expression);
  }
}
