// Chooses the indexes of a region that a query may use. Only these are opened, and built if
// necessary: an index on a path that is only projected would cost much and serve nothing.

import { extendPath, pathKey } from '../../value/column-path.ts';
import { forEachChild } from '../bind/bound-children.ts';
import type { BoundExpression } from '../bind/bound-query.ts';
import { pathsIn } from '../bind/references.ts';
import type { ColumnSource, IndexFacts, MapElement } from '../columnar/column-source.ts';
import type { VectorShape } from '../columnar/shape.ts';
import { pathUseOf, termFinder, termKey, termsOf } from '../columnar/terms.ts';
import { subjectOf } from './lookup.ts';

export interface UsefulIndexes {
  /** All indexes of each table's region. */
  readonly indexes: readonly (readonly IndexFacts[])[];
  /** The tables to open, with the indexes that may be useful. */
  readonly requests: VectorShape['requests'];
}

export function usefulIndexes(shape: VectorShape, columns: ColumnSource): UsefulIndexes {
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
  const findTerm = termFinder(shape);
  const visit = (expression: BoundExpression): void => {
    const { path, key } = pathUseOf(expression) ?? {};
    const { table = -1, term } = (key !== undefined && path && findTerm(path)) || {};
    for (const { name, map } of indexes[table] ?? []) {
      if (key === undefined || map === undefined || pathKey(map.path) !== term) continue;
      if (map.keys !== '*' && !map.keys.includes(key)) continue;
      const path = extendPath(map.path, [key]);
      elements[table]?.set(`${name}-${key}`, { index: name, key, path });
    }
    forEachChild(expression, visit);
  };
  visit(where);
  return elements.map((byName) => [...byName.values()]);
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
  /** An expression that is no condition is its own subject. */
  const addSubjects = (expression: BoundExpression): void => {
    const { kind } = expression;
    if (kind === 'and' || kind === 'or' || kind === 'not') forEachChild(expression, addSubjects);
    else add(subjectOf(expression) ?? expression);
  };
  for (const expression of expressions) {
    pathsIn(expression).forEach(add);
    addSubjects(expression);
  }
  return keys;
}
