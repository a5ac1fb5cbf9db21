// The address of the next page: the parsed request, with a cursor.

import { type CursorScope, printCursor } from '../request/cursor.ts';
import type { PageParameters } from '../request/page-parameters.ts';

type LinkParameters = readonly (readonly [name: string, value: string | undefined])[];

export function nextLink(address: string): string {
  return `<${address}>; rel="next"`;
}

/** Path and parameters of the page of entries after a key. */
export function nextPageParameters(
  page: PageParameters,
  { lastKey, sequence }: { readonly lastKey: string; readonly sequence: number },
): string {
  const { at, elements, end, fields, limit, scope, timeoutMs } = page;
  return printParameters([
    ['limit', String(limit)],
    ['from', scope.from],
    ['to', scope.to],
    ['prefix', scope.prefix],
    ['order', scope.order === 'desc' ? 'desc' : undefined],
    ['where', scope.where],
    ['timeout', timeoutMs === undefined ? undefined : String(timeoutMs)],
    ['entries', elements === 'entries' ? 'true' : undefined],
    ['fields', fields?.text],
    ['end', end === 'requested' ? 'true' : undefined],
    // A time becomes its commit, so that all pages show the same one.
    ['at', at === undefined ? undefined : String(sequence)],
    ['cursor', printCursor(scope, lastKey)],
  ]);
}

/** The same for a read of a region with only a limit. */
export function nextPagePath(region: string, limit: number, lastKey: string): string {
  // A cursor has only letters, digits, `-` and `_`.
  const cursor = printCursor({ ...PLAIN, region }, lastKey);
  return `/${region}?limit=${limit}&cursor=${cursor}`;
}

const PLAIN: Omit<CursorScope, 'region'> = {
  from: undefined,
  to: undefined,
  prefix: undefined,
  order: 'asc',
  where: undefined,
};

function printParameters(parameters: LinkParameters): string {
  return parameters
    .flatMap(([name, value]) =>
      value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
    )
    .join('&');
}
