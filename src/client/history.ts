// Reading regions that keep history: the state as of an earlier commit, and the versions of one
// entry.

import type { Codec } from './codec.ts';
import { printCondition, readVersion } from './entity-tags.ts';
import { membersOf } from './json-parts.ts';
import type { CallOptions, Transport } from './transport.ts';

export interface ReadOptions extends CallOptions {
  /**
   * As of this commit, or of the last one up to this time; now when absent. The regions must keep
   * history: `GoneError` when it does not go back so far.
   */
  readonly at?: number | Date | undefined;
}

export interface RestoreOptions extends CallOptions {
  /** Restore only when the entry has this version now; otherwise `VersionDiffersError`. */
  readonly ifVersion?: number | undefined;
}

interface EntryKeyAndVersion {
  readonly key: string;
  readonly version: number;
}

export interface EntryVersion<Document> {
  /** The commit; the version of the entry when it was put. */
  readonly version: number;
  readonly operation: 'put' | 'remove' | 'expire' | 'clear';
  /** Absent for a version that is older than all changes that are kept. */
  readonly time?: Date;
  /** The value that was put; absent when the entry was removed. */
  readonly value?: Document;
}

const VERSIONS_PER_PAGE = 100;
/** `{"versions":[version,…]}` */
const VERSION_DEPTH = 2;

/** The address with the requested moment, if there is one. */
export function addMoment(path: string, { at }: ReadOptions): string {
  if (at === undefined) return path;
  return `${path}${path.includes('?') ? '&' : '?'}at=${encodeURIComponent(printMoment(at))}`;
}

export function printMoment(at: number | Date): string {
  return typeof at === 'number' ? String(at) : at.toISOString();
}

/** The versions of an entry, latest first, read in pages. */
export async function* readVersions<Document>(
  transport: Transport,
  path: string,
  codec: Codec<Document>,
  { signal }: CallOptions,
): AsyncGenerator<EntryVersion<Document>> {
  for (let before = ''; ; ) {
    const { elements, headers } = await transport.collect(
      { method: 'GET', path: `${path}?limit=${VERSIONS_PER_PAGE}${before}`, signal },
      VERSION_DEPTH,
    );
    const versions = elements.map((text) => parseVersion(text, codec));
    yield* versions;
    const last = versions.at(-1);
    if (last === undefined || headers.get('link') === null) return;
    before = `&before=${last.version}`;
  }
}

/** Restores the value of a version; returns the new version of the entry. */
export async function restoreVersion(
  transport: Transport,
  path: string,
  { ifVersion, key, signal, version }: RestoreOptions & EntryKeyAndVersion,
): Promise<EntryKeyAndVersion> {
  const { headers } = await transport.exchange({
    method: 'POST',
    path: `${path}?restore=${version}`,
    headers: printCondition(ifVersion),
    signal,
  });
  return { key, version: readVersion(headers) };
}

function parseVersion<Document>(text: string, codec: Codec<Document>): EntryVersion<Document> {
  const members = membersOf(text);
  const [time, value] = [members.get('time'), members.get('value')];
  return {
    version: Number(members.get('version')),
    // docs/http-api.md states the members.
    operation: JSON.parse(members.get('op') ?? '""') as EntryVersion<Document>['operation'],
    ...(time === undefined ? {} : { time: new Date(JSON.parse(time) as string) }),
    ...(value === undefined ? {} : { value: codec.parse(value) }),
  };
}
