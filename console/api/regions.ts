// The regions that the login may see, shared by navigation and screens.

import { signal } from '@preact/signals';
import { type GridClient, LoginError, type RegionSettings } from '../../src/client/index.ts';
import { call, may } from './session.ts';

export interface RegionSummary {
  readonly name: string;
  readonly type: string;
  /** Undefined if the login may not read the cluster. */
  readonly entryCount: number | undefined;
  readonly bytes: number | undefined;
  /** Present if the login may read the cluster, and the region has settings. */
  readonly settings?: RegionSettings;
}

/** Undefined until they are loaded. */
export const regions = signal<readonly RegionSummary[] | undefined>(undefined);

let loading: Promise<void> | undefined;

/** Reloads them: after a login, and after a region was created, cleared or destroyed. */
export function loadRegions(): Promise<void> {
  loading = load();
  return loading;
}

/** Waits for the first load. Undefined if there is no such region, or loading failed. */
export async function findRegion(name: string): Promise<RegionSummary | undefined> {
  if (regions.value === undefined) await loading?.catch(() => undefined);
  return regions.value?.find((region) => region.name === name);
}

async function load(): Promise<void> {
  try {
    regions.value = await call(may(['CLUSTER', 'READ']) ? describe : list);
  } catch (error) {
    // A login without any permission sees none.
    if (!(error instanceof LoginError && error.status === 403)) throw error;
    regions.value = [];
  }
}

async function describe(client: GridClient): Promise<readonly RegionSummary[]> {
  return client.describeRegions();
}

async function list(client: GridClient): Promise<readonly RegionSummary[]> {
  return (await client.listRegions()).map(({ name, type }) => ({
    name,
    type,
    entryCount: undefined,
    bytes: undefined,
  }));
}
