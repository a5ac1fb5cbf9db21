// Finds members that a query names and no document has: mostly typing errors, for which the query
// would return nothing. The columns of the paths that the query reads show them.

import { toCollection } from '../../value/collections.ts';
import { CHUNK_ROWS } from '../../value/column-data.ts';
import { type ColumnPath, extendPath } from '../../value/column-path.ts';
import { parseJson } from '../../value/json-parse.ts';
import { didYouMean, nearestName } from '../../value/nearest-name.ts';
import { MISSING } from '../../value/row-tags.ts';
import { Document, type Value } from '../../value/value.ts';
import { forEachChild } from '../bind/bound-children.ts';
import type { BoundExpression, BoundPath, BoundQuery, BoundSelect } from '../bind/bound-query.ts';
import type { ColumnSource, SourceTable, TableRequest } from '../columnar/column-source.ts';
import { nameUnresolved, type OqlError, unknownMember } from '../errors.ts';
import { ROWS_OR_NULL } from '../functions/operator-functions.ts';
import { isAttributeName } from '../methods/method-names.ts';
import { Pacer } from '../reference/pacer.ts';
import type { RunContext } from '../reference/run-context.ts';

/** More paths are not checked: each needs a column. */
const MAX_PATHS = 32;

/**
 * One error for each member that no document of a region has, in order of appearance; none if
 * columns are not available. A name in double quotes must be a member: texts are in single quotes.
 */
export async function findUnknownMembers(
  query: BoundQuery,
  columns: ColumnSource,
  context: RunContext,
): Promise<readonly OqlError[]> {
  const uses = findMemberUses(query);
  if (uses.length === 0 || uses.length > MAX_PATHS) return [];
  const pacer = new Pacer(context, query.text);
  const opened = await openTables(uses, columns, pacer);
  const remaining = opened.filter((use) => !use.isList || !hasItems(use));
  // A list without any item may still be there, in documents that have it empty.
  const members = remaining.map((use) => ({ ...use, isList: false }));
  const needsColumns = remaining.some(({ isList }) => isList);
  const reopened = needsColumns ? await openTables(members, columns, pacer) : members;
  const errors: OqlError[] = [];
  for (const use of withoutInner(reopened.filter(isUnknown))) {
    errors.push(toError(use, query.text, await findMemberNames(use)));
  }
  return errors;
}

/** None if columns are not available. */
async function openTables(
  uses: readonly MemberUse[],
  columns: ColumnSource,
  pacer: Pacer,
): Promise<readonly OpenedUse[]> {
  const regions = [...new Set(uses.map(({ region }) => region))];
  const requests = regions.map((region) => toRequest(region, uses));
  const tables = await columns.openTables(requests, pacer);
  return uses.flatMap((use) => {
    const table = tables?.[regions.indexOf(use.region)];
    return table === undefined ? [] : [{ ...use, table }];
  });
}

/** Drops members of members that are unknown themselves. */
function withoutInner(uses: readonly OpenedUse[]): readonly OpenedUse[] {
  const names = uses.map(({ region, path }) => [region, ...path.flat()].join('\0'));
  return uses.filter((_, at) => names.every((name) => !(names[at] ?? '').startsWith(`${name}\0`)));
}

/** Whether the name is certainly a mistake: a text in double quotes, or NOW without parentheses. */
export function isCertainMistake(error: OqlError): boolean {
  return error.code === 'oql/name-unresolved';
}

interface MemberUse {
  readonly region: string;
  /** Its last segment has the members that the node names. */
  readonly path: ColumnPath;
  readonly node: BoundExpression;
  /** Whether it is unnested. It has no column then, which would hold the texts of all items. */
  readonly isList: boolean;
}

interface OpenedUse extends MemberUse {
  readonly table: SourceTable;
}

function toRequest(region: string, uses: readonly MemberUse[]): TableRequest {
  const own = uses.filter((use) => use.region === region);
  const paths = own.filter(({ isList }) => !isList).map(({ path }) => path);
  const lists = own.filter(({ isList }) => isList).map(({ path }) => path);
  const outer = own.flatMap(({ path }) =>
    path.slice(0, -1).map((_, depth) => path.slice(0, depth + 1)),
  );
  return { region, paths, collections: [...outer, ...lists] };
}

function hasItems({ table, path }: OpenedUse): boolean {
  const lists = table.lists(path);
  return someChunk(table, (chunk) => lists.chunk(chunk).size > 0);
}

/** In a region without entries no member is unknown. */
function isUnknown({ table, path }: OpenedUse): boolean {
  const column = table.column(path);
  const isPresent = (chunk: number): boolean => (column.chunk(chunk).mask & ~(1 << MISSING)) !== 0;
  return table.entryCount > 0 && !someChunk(table, isPresent);
}

function someChunk({ size }: SourceTable, isTrue: (chunk: number) => boolean): boolean {
  for (let chunk = 0; chunk * CHUNK_ROWS < size; chunk += 1) if (isTrue(chunk)) return true;
  return false;
}

function toError(
  { region, path, node }: MemberUse,
  text: string,
  memberNames: readonly string[],
): OqlError {
  const location = { text, span: node.span };
  const members = path.at(-1) ?? [];
  const [name = ''] = members;
  const why = `no document of /${region} has a member of that name`;
  if (members.length === 1 && text.charAt(node.span.start) === '"') {
    return nameUnresolved(location, `"${name}"`, why, `Texts are in single quotes: '${name}'`);
  }
  if (/^now$/i.test(text.slice(node.span.start, node.span.end))) {
    return nameUnresolved(location, name, why, 'The present moment is NOW()');
  }
  const hint = didYouMean(nearestName(members.at(-1) ?? '', memberNames));
  return unknownMember(location, path.flat().join('.'), region, hint);
}

/** Documents that are read for the names of members: those of a region are mostly alike. */
const SAMPLED_DOCUMENTS = 16;

/**
 * The members beside the one that a path leads to, in the first documents of a table: columns hold
 * only members that were asked for.
 */
async function findMemberNames({ table, path }: OpenedUse): Promise<readonly string[]> {
  const rows: number[] = [];
  for (let row = 0; row < table.size && rows.length < SAMPLED_DOCUMENTS; row += 1) {
    if (table.isVisible(row)) rows.push(row);
  }
  const parent = path.with(-1, path.at(-1)?.slice(0, -1) ?? []);
  const texts = rows.length === 0 ? [] : await table.readTexts(rows);
  const parents = texts.flatMap((text) => valuesAt(parseJson(text), parent));
  return parents.flatMap((each) => (each instanceof Document ? [...each.members.keys()] : []));
}

function valuesAt(root: Value, [members = [], ...inner]: ColumnPath): readonly Value[] {
  let value: Value | undefined = root;
  for (const name of members) {
    value = value instanceof Document ? value.members.get(name) : undefined;
  }
  if (value === undefined) return [];
  if (inner.length === 0) return [value];
  return (toCollection(value) ?? []).flatMap((item) => valuesAt(item, inner));
}

/** The path of the rows of an iterator in the documents of a region. */
interface RowBase {
  readonly region: string;
  /** Leads to the row; members of the row extend the last segment. */
  readonly path: ColumnPath;
  readonly view: 'values' | 'entries';
}

type Bases = readonly (readonly (RowBase | undefined)[])[];

/** Every different path into documents of regions. */
function findMemberUses(query: BoundQuery): readonly MemberUse[] {
  const uses = new Map<string, MemberUse>();
  const lists = new Set<BoundExpression>();
  const visit = (node: BoundExpression, bases: Bases): void => {
    const inner = node.kind === 'select' ? withIterators(node, bases) : bases;
    if (node.kind === 'select') for (const { source } of node.iterators) lists.add(source);
    const use =
      node.kind === 'path' ? toUse(node, bases, lists.has(node)) : toElementUse(node, bases);
    if (use !== undefined) {
      const key = JSON.stringify([use.region, use.path]);
      if (!uses.has(key)) uses.set(key, use);
    }
    forEachChild(node, (child) => visit(child, inner));
  };
  visit(query.body, []);
  return [...uses.values()];
}

function toUse(node: BoundPath, bases: Bases, isSource: boolean): MemberUse | undefined {
  const base = bases[node.depth]?.[node.iterator];
  const members = base && plainMembers(base, node.members);
  if (base === undefined || members === undefined || members.length === 0) return undefined;
  const path = extendPath(base.path, members);
  // After a method, the items are not those of the member.
  const isList = isSource && itemsOf(node, bases) !== undefined;
  return { region: base.region, path, node, isList };
}

/** `o.items[0].sku`: a member of one of the items at a path. */
function toElementUse(node: BoundExpression, bases: Bases): MemberUse | undefined {
  if (node.kind !== 'member' || isAttributeName(node.name)) return undefined;
  const { target, name } = node;
  if (target.kind !== 'index' || target.target.kind !== 'path') return undefined;
  if (target.index.kind !== 'literal' || typeof target.index.value !== 'number') return undefined;
  const items = itemsOf(target.target, bases);
  if (items === undefined || items.path.length < 2) return undefined;
  const path = extendPath(items.path, [name]);
  return { region: items.region, path, node, isList: false };
}

/** The members that are read from the document itself, before the first method. */
function plainMembers(base: RowBase, members: readonly string[]): readonly string[] | undefined {
  const [first, ...others] = members;
  if (base.view === 'entries' && first !== 'value') return undefined;
  const within = base.view === 'entries' ? others : members;
  const method = within.findIndex(isAttributeName);
  return method < 0 ? within : within.slice(0, method);
}

/** The bases of a select's iterators, after those of the selects around it. */
function withIterators(select: BoundSelect, outer: Bases): Bases {
  const own: (RowBase | undefined)[] = [];
  const bases = [...outer.slice(0, select.depth), own];
  for (const { source } of select.iterators) own.push(baseOf(source, bases));
  return bases;
}

function baseOf(source: BoundExpression, bases: Bases): RowBase | undefined {
  switch (source.kind) {
    case 'region':
    case 'region-view': {
      const { name: region, view } = source;
      return view === 'keys' ? undefined : { region, path: [[]], view };
    }
    case 'path':
      return itemsOf(source, bases);
    case 'function': {
      // LEFT JOIN reads the rows of a select.
      const [rows] = source.arguments;
      return source.definition === ROWS_OR_NULL && rows ? baseOf(rows, bases) : undefined;
    }
    case 'select': {
      const [projection] = source.projections;
      if (source.shape !== 'bare' || source.grouping !== undefined) return undefined;
      return projection && baseOf(projection.expression, withIterators(source, bases));
    }
    default:
      return undefined;
  }
}

/** The rows of a source: the row itself, or the items of one of its members. */
function itemsOf(source: BoundPath, bases: Bases): RowBase | undefined {
  const base = bases[source.depth]?.[source.iterator];
  if (base === undefined || source.members.length === 0) return base;
  const members = plainMembers(base, source.members);
  const skipped = base.view === 'entries' ? 1 : 0;
  if (members?.length !== source.members.length - skipped) return undefined;
  const path = members.length === 0 ? base.path : [...extendPath(base.path, members), []];
  return { region: base.region, path, view: 'values' };
}
