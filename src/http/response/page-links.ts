// The address of the next page: the request as it was understood, with a cursor.

import { type CursorScope, printCursor } from '../request/cursor.ts';
import type { PageParameters } from '../request/page-parameters.ts';

type Parameters = readonly (readonly [name: string, value: string | undefined])[];

export function nextLink(address: string): string {
  return `<${address}>; rel="next"`;
}

/** The page after a key of a request for entries, as its path and parameters. */
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
    ['end', end === 'asked' ? 'true' : undefined],
    // A moment that was given as a time stays the same commit.
    ['at', at === undefined ? undefined : String(sequence)],
    ['cursor', printCursor(scope, lastKey)],
  ]);
}

/** The same of a read of a region that has nothing but a limit. */
export function nextPagePath(region: string, limit: number, lastKey: string): string {
  // A cursor has letters, digits, `-` and `_` alone.
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

function printParameters(parameters: Parameters): string {
  return parameters
    .flatMap(([name, value]) =>
      value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
    )
    .join('&');
}
