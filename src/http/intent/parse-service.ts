// Requests of the management plane and about the service itself. For most of them the path has
// everything.

import { parseWhole, SAMPLE } from '../request/parameters.ts';
import { nameOfSegment, type Parse } from '../request/routed-request.ts';
import type {
  Intent,
  IntentOf,
  ReadConsoleAsset,
  ReadConsolePage,
  ReadDocsFile,
} from './intent.ts';

export function fixed<const I extends Intent>(intent: I): Parse<I> {
  return () => intent;
}

/** The first segment names a region. */
export function ofRegion<K extends string>(
  kind: K,
): Parse<{ readonly kind: K; readonly region: string }> {
  return (request) => ({ kind, region: nameOfSegment(request, 0) });
}

/** The second one names an index of it. */
export function ofIndex<K extends string>(
  kind: K,
): Parse<{ readonly kind: K; readonly region: string; readonly index: string }> {
  return (request) => ({
    kind,
    region: nameOfSegment(request, 0),
    index: nameOfSegment(request, 1),
  });
}

export const parseReadSchema: Parse<IntentOf<'read-schema'>> = (request) => ({
  kind: 'read-schema',
  region: nameOfSegment(request, 0),
  sample: parseWhole(request.query, 'sample', SAMPLE),
});

export const parseCancelQuery: Parse<IntentOf<'cancel-query'>> = (request) => ({
  kind: 'cancel-query',
  runningId: nameOfSegment(request, 0),
});

/**
 * The page has relative addresses, because it may be served under a path; so `/docs/` redirects to
 * `/docs`.
 */
export const parseReadDocsPage: Parse<ReadDocsFile | IntentOf<'redirect-to-page'>> = ({
  headers,
  path,
}) =>
  path.endsWith('/')
    ? { kind: 'redirect-to-page', location: '../docs' }
    : { kind: 'read-docs-file', name: 'page.html', ifNoneMatch: headers['if-none-match'] };

export const parseReadDocsFile: Parse<ReadDocsFile> = ({ headers, segments }) => ({
  kind: 'read-docs-file',
  name: segments[0] ?? '',
  ifNoneMatch: headers['if-none-match'],
});

/** Its addresses are relative to `/console/`, so `/console` redirects there. */
export const parseReadConsolePage: Parse<ReadConsolePage | IntentOf<'redirect-to-page'>> = ({
  headers,
  path,
}) =>
  path.endsWith('/')
    ? { kind: 'read-console-page', ifNoneMatch: headers['if-none-match'] }
    : { kind: 'redirect-to-page', location: 'console/' };

export const parseReadConsoleAsset: Parse<ReadConsoleAsset> = ({ headers, segments }) => ({
  kind: 'read-console-asset',
  name: segments[0] ?? '',
  ifNoneMatch: headers['if-none-match'],
});
