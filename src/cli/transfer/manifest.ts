// manifest.json of an exported grid: everything that the files of entries do not have. Its version
// is incremented whenever an older gridkeep could misread it.
//
//   {"format":"gridkeep-export","version":1,
//    "regions":[{"name","type","key-constraint","value-constraint","settings"?,"indexes","file",
//                "entries"}],
//    "queries":[{"id","oql"}]}

import { basename } from 'node:path';
import type { NamedQuery, RegionDetails, RegionIndex } from '../../client/index.ts';
import { isRecord } from '../../config/declared-fields.ts';

export const MANIFEST_FILE = 'manifest.json';
const FORMAT = 'gridkeep-export';
const VERSION = 1;

export interface ExportedRegion extends RegionDetails {
  /** In the directory of the manifest. */
  readonly file: string;
}

export interface Manifest {
  readonly regions: readonly ExportedRegion[];
  readonly queries: readonly NamedQuery[];
}

export function printManifest({ queries, regions }: Manifest): string {
  const manifest = {
    format: FORMAT,
    version: VERSION,
    regions: regions.map((region) => ({
      name: region.name,
      type: region.type,
      'key-constraint': region.keyConstraint,
      'value-constraint': region.valueConstraint,
      ...(region.settings === undefined ? {} : { settings: region.settings }),
      indexes: region.indexes,
      file: region.file,
      entries: region.entryCount,
    })),
    queries,
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

/** Returns the reason as text when it is not a manifest. */
export function parseManifest(text: string): Manifest | string {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return 'it is not JSON';
  }
  if (!isRecord(parsed) || parsed['format'] !== FORMAT) return 'it is not an export of gridkeep';
  if (parsed['version'] !== VERSION) {
    return `it has version ${String(parsed['version'])}; this gridkeep knows version ${VERSION}`;
  }
  const regions = listOf(parsed['regions'], toRegion);
  const queries = listOf(parsed['queries'], toQuery);
  if (regions === undefined || queries === undefined)
    return 'a region or a query in it is not whole';
  return { regions, queries };
}

function toRegion(item: Record<string, unknown>): ExportedRegion | undefined {
  const { entries, file, name, type } = item;
  const indexes = listOf(item['indexes'], toIndex);
  // A file elsewhere is not part of this export.
  if (typeof file !== 'string' || file === '' || basename(file) !== file) return undefined;
  if (typeof name !== 'string' || typeof type !== 'string') return undefined;
  if (typeof entries !== 'number' || indexes === undefined) return undefined;
  return {
    name,
    type,
    keyConstraint: toText(item['key-constraint']),
    valueConstraint: toText(item['value-constraint']),
    // Checked when the region is created.
    ...(isRecord(item['settings']) ? { settings: item['settings'] } : {}),
    indexes,
    file,
    entryCount: entries,
  };
}

function toIndex({
  expression,
  from,
  kind,
  name,
  unique,
}: Record<string, unknown>): RegionIndex | undefined {
  const isWhole =
    typeof expression === 'string' &&
    typeof from === 'string' &&
    typeof kind === 'string' &&
    typeof name === 'string';
  if (!isWhole) return undefined;
  return { name, kind, expression, from, ...(unique === true ? { unique } : {}) };
}

function toQuery({ id, oql }: Record<string, unknown>): NamedQuery | undefined {
  return typeof id === 'string' && typeof oql === 'string' ? { id, oql } : undefined;
}

/** Undefined when it is not a list, or an item is invalid. */
function listOf<Item>(
  value: unknown,
  toItem: (item: Record<string, unknown>) => Item | undefined,
): readonly Item[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const items: Item[] = [];
  for (const each of value) {
    const item = isRecord(each) ? toItem(each) : undefined;
    if (item === undefined) return undefined;
    items.push(item);
  }
  return items;
}

function toText(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
