// The history of one entry: lists its versions, and restores one.

import { badParameter } from '../errors.ts';
import { parseVersion } from '../request/commit-number.ts';
import { refuseIdempotencyKey } from '../request/idempotency-key.ts';
import { parseWhole, VERSIONS } from '../request/parameters.ts';
import { parsePreconditions } from '../request/preconditions.ts';
import type { QueryString } from '../request/query-string.ts';
import { nameOfSegment, type Parse } from '../request/routed-request.ts';
import type { ListVersions, RestoreEntry } from './intent.ts';

export const parseListVersions: Parse<ListVersions> = (request) => ({
  kind: 'list-versions',
  region: nameOfSegment(request, 0),
  key: nameOfSegment(request, 1),
  below: findVersion(request.query, 'before') ?? Number.MAX_SAFE_INTEGER,
  limit: parseWhole(request.query, 'limit', VERSIONS),
});

export const parseRestoreEntry: Parse<RestoreEntry> = (request) => {
  const version = findVersion(request.query, 'restore');
  if (version === undefined) {
    throw badParameter('Query parameter restore, the version to put back, is missing');
  }
  refuseIdempotencyKey(request.headers, 'the restoring of a version');
  const key = nameOfSegment(request, 1);
  return {
    kind: 'restore-entry',
    region: nameOfSegment(request, 0),
    key,
    version,
    preconditions: parsePreconditions(request.headers, [key]),
  };
};

function findVersion(query: QueryString, name: string): number | undefined {
  const value = query.text(name);
  if (value === undefined) return undefined;
  const version = parseVersion(value);
  if (version !== undefined) return version;
  throw badParameter(`${name} (${value}) must be a version, a whole number above 0`);
}
