// Requests of the management plane and about the service itself. For most of them the path has
// everything.

import { parseWhole, SAMPLE } from '../request/parameters.ts';
import { nameOfSegment, type Parse, type RoutedRequest } from '../request/routed-request.ts';
import type { Intent, IntentOf, ReadFile } from './intent.ts';

export function fixed<const I extends Intent>(intent: I): Parse<I> {
  return () => intent;
}

/** For a request whose path has everything: the names of its segments, in order. */
export function ofPath<K extends string, Name extends string>(
  kind: K,
  ...names: readonly Name[]
): Parse<{ readonly kind: K } & Readonly<Record<Name, string>>> {
  return (request) => {
    const members = names.map((name, i) => [name, nameOfSegment(request, i)]);
    return { kind, ...(Object.fromEntries(members) as Record<Name, string>) }; // of these names
  };
}

export const parseReadSchema: Parse<IntentOf<'read-schema'>> = (request) => ({
  kind: 'read-schema',
  region: nameOfSegment(request, 0),
  sample: parseWhole(request.query, 'sample', SAMPLE),
});

/**
 * The page has relative addresses, because it may be served under a path; so `/docs/` redirects to
 * `/docs`.
 */
export const parseReadDocsPage: Parse<ReadFile | IntentOf<'redirect-to-page'>> = (request) =>
  request.path.endsWith('/')
    ? { kind: 'redirect-to-page', location: '../docs' }
    : toReadFile(request, 'docs', '');

export const parseReadDocsFile: Parse<ReadFile> = (request) =>
  toReadFile(request, 'docs', request.segments[0] ?? '');

/** Its addresses are relative to `/console/`, so `/console` redirects there. */
export const parseReadConsolePage: Parse<ReadFile | IntentOf<'redirect-to-page'>> = (request) =>
  request.path.endsWith('/')
    ? toReadFile(request, 'console', '')
    : { kind: 'redirect-to-page', location: 'console/' };

export const parseReadConsoleAsset: Parse<ReadFile> = (request) =>
  toReadFile(request, 'console', `assets/${request.segments[0] ?? ''}`);

function toReadFile(request: RoutedRequest, site: ReadFile['site'], name: string): ReadFile {
  return { kind: 'read-file', site, name, ifNoneMatch: request.headers['if-none-match'] };
}
