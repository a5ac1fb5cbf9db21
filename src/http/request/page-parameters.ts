// The parameters of a read in pages, and which of them exclude each other.

import { MAX_FILTERED_PAGE, type Moment } from '../../grid/index.ts';
import type { Fields } from '../../value/project-json.ts';
import { badLimit, badParameter } from '../errors.ts';
import { ROW_TYPES, type RowForm } from '../response/media-types.ts';
import { requireForm } from './accept.ts';
import { type CursorScope, parseCursor } from './cursor.ts';
import { parseFields } from './fields.ts';
import {
  type LastLine,
  parseFlag,
  parseLastLine,
  parseLimit,
  parseMoment,
  parseOqlText,
  parseTimeout,
} from './parameters.ts';
import { prefers } from './prefer.ts';
import type { QueryString } from './query-string.ts';
import type { RoutedRequest } from './routed-request.ts';

/** The form of the elements of an answer: a JSON document, or one per line. */
export type ElementForm = Exclude<RowForm, 'csv'>;

export interface PageParameters {
  /** Bounds, order and condition, to which the cursor of the next page is bound. */
  readonly scope: CursorScope;
  /** Begin after this key. */
  readonly after: string | undefined;
  readonly limit: number | 'ALL';
  readonly elements: 'values' | 'entries' | 'keys';
  readonly fields: { readonly text: string; readonly tree: Fields } | undefined;
  /** Whether the entries of all pages are counted. */
  readonly isCounted: boolean;
  readonly form: ElementForm;
  readonly end: LastLine;
  /** Time limit of a condition. */
  readonly timeoutMs: number | undefined;
  /** The requested moment; undefined: now. */
  readonly at: Moment | undefined;
}

/**
 * Each of them makes the request a read in pages. `limit` does so only where the default is to read
 * everything.
 */
const PAGE_NAMES = [
  'after',
  'at',
  'cursor',
  'end',
  'entries',
  'fields',
  'from',
  'order',
  'prefix',
  'timeout',
  'to',
  'where',
];

export interface PageDefaults {
  readonly region: string;
  /** Without `limit`. */
  readonly limit: number | 'ALL';
  /** Absent: values, or entries where the request says so. */
  readonly elements?: 'keys';
  /** `no-page`: `at` alone does not make the request a page. */
  readonly at?: 'no-page';
}

/** Undefined for a request without page parameters. */
export function findPageParameters(
  request: RoutedRequest,
  defaults: PageDefaults,
): PageParameters | undefined {
  const { headers, query } = request;
  const isPlain =
    !prefers(headers, 'count=exact') &&
    requireForm(headers.accept, ELEMENT_TYPES) === 'json' &&
    !query.names().some((name) => isPageName(name, defaults));
  return isPlain ? undefined : parsePage(request, defaults);
}

/** Generated clients send the defaults of all parameters. */
const DEFAULTS = new Map([
  ['end', 'false'],
  ['entries', 'false'],
  ['order', 'asc'],
]);

/** Keys select the entries, so page parameters are refused unless empty or at their default. */
export function refusePageParameters({ query }: RoutedRequest): void {
  const name = query.names().find((each) => {
    if (each === 'at' || !PAGE_NAMES.includes(each)) return false;
    return query.text(each) !== '' && query.text(each) !== DEFAULTS.get(each);
  });
  if (name === undefined) return;
  throw badParameter(`${name} and keys exclude each other`, 'Leave one of them out');
}

function isPageName(name: string, defaults: PageDefaults): boolean {
  if (name === 'at' && defaults.at === 'no-page') return false;
  return PAGE_NAMES.includes(name) || (name === 'limit' && defaults.limit === 'ALL');
}

const ELEMENT_TYPES: Readonly<Record<ElementForm, string>> = {
  json: ROW_TYPES.json,
  ndjson: ROW_TYPES.ndjson,
};

function parsePage({ headers, query }: RoutedRequest, defaults: PageDefaults): PageParameters {
  const limit = query.text('limit') ? parseLimit(query) : defaults.limit;
  const scope = parseScope(query, defaults.region);
  const form = requireForm(headers.accept, ELEMENT_TYPES);
  if (scope.where !== undefined && limit !== 'ALL' && limit > MAX_FILTERED_PAGE) {
    const hint = 'Read on with the cursor of the next page, or take all with limit=ALL';
    throw badLimit(
      String(limit),
      `is more than the ${MAX_FILTERED_PAGE} entries of a page with where`,
      hint,
    );
  }
  if (scope.where === undefined && query.text('timeout') !== undefined) {
    throw badParameter('timeout limits the time of where, which is missing');
  }
  return {
    scope,
    after: parseAfter(query, scope, limit),
    limit,
    elements: defaults.elements ?? (parseFlag(query, 'entries') ? 'entries' : 'values'),
    fields: parseFieldList(query),
    isCounted: prefers(headers, 'count=exact'),
    form,
    end: parseLastLine(query, headers, form),
    timeoutMs: parseTimeout(query),
    at: parseMoment(query),
  };
}

function parseScope(query: QueryString, region: string): CursorScope {
  return {
    region,
    from: parseBound(query, 'from'),
    to: parseBound(query, 'to'),
    prefix: parseBound(query, 'prefix'),
    order: parseOrder(query),
    where: parseWhere(query),
  };
}

/** An empty bound counts as absent: forms send blank parameters. */
function parseBound(query: QueryString, name: string): string | undefined {
  const value = query.text(name);
  if (value === undefined || value === '') return undefined;
  if (value.includes('\0')) throw badParameter(`${name} must not hold the NUL character`);
  return value;
}

function parseOrder(query: QueryString): 'asc' | 'desc' {
  const value = query.text('order') ?? 'asc';
  const order = value.toLowerCase();
  if (order === 'asc' || order === 'desc') return order;
  throw badParameter(
    `order (${value}) must be asc or desc`,
    'Pages come in the order of their keys',
  );
}

function parseWhere(query: QueryString): string | undefined {
  const value = parseOqlText(query, 'where');
  if (value === undefined) return undefined;
  if (value.trim() === '') throw badParameter('where must hold a condition, such as total > 100');
  return value;
}

function parseAfter(
  query: QueryString,
  scope: CursorScope,
  limit: number | 'ALL',
): string | undefined {
  const cursor = query.text('cursor');
  const after = parseBound(query, 'after');
  if (cursor === undefined) return after;
  if (after !== undefined) {
    const hint = 'A cursor says where the page begins; leave after out';
    throw badParameter('cursor and after exclude each other', hint);
  }
  if (limit === 'ALL') {
    const hint = 'A cursor continues pages: give it the limit of the page that it came with';
    throw badParameter('cursor and limit=ALL exclude each other', hint);
  }
  return parseCursor(scope, cursor);
}

function parseFieldList(query: QueryString): PageParameters['fields'] {
  const text = query.text('fields');
  return text === undefined ? undefined : { text, tree: parseFields(text) };
}
