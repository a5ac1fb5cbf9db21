// Every screen of the console: one row each. A screen is a folder in `screens/`,
// loaded when it is first shown.

import type { ComponentType } from 'preact';
import { may, mayBegin } from '../api/session.ts';
import type { IconName } from '../design/icon.tsx';
import type { RegionScreenProps, ScreenProps } from './router.ts';

interface AnyScreen {
  /** Its part of the address. */
  readonly id: string;
  readonly title: string;
  readonly icon: IconName;
}

/** In the navigation. */
export interface MainScreen extends AnyScreen {
  readonly isOffered: () => boolean;
  readonly load: () => Promise<ComponentType<ScreenProps>>;
}

/** A tab of every region. */
export interface RegionScreen extends AnyScreen {
  readonly isOffered: (region: string) => boolean;
  readonly load: () => Promise<ComponentType<RegionScreenProps>>;
}

export const mainScreens: readonly MainScreen[] = [
  {
    id: 'overview',
    title: 'Overview',
    icon: 'overview',
    isOffered: () => true,
    load: async () => (await import('../screens/overview/overview.tsx')).Overview,
  },
  {
    id: 'workbench',
    title: 'Query',
    icon: 'query',
    isOffered: () => mayBegin(['DATA', 'READ']),
    load: async () => (await import('../screens/workbench/workbench.tsx')).Workbench,
  },
  {
    id: 'queries',
    title: 'Named queries',
    icon: 'named',
    isOffered: () => mayBegin(['QUERY', 'RUN']) || may(['QUERY', 'MANAGE']),
    load: async () => (await import('../screens/queries/named-queries.tsx')).NamedQueries,
  },
  {
    id: 'live',
    title: 'Live',
    icon: 'live',
    isOffered: () => mayBegin(['QUERY', 'MANAGE']),
    load: async () => (await import('../screens/live/live.tsx')).Live,
  },
  {
    id: 'transfer',
    title: 'Import / export',
    icon: 'transfer',
    isOffered: () => mayBegin(['DATA', 'READ']) || mayBegin(['DATA', 'WRITE']),
    load: async () => (await import('../screens/transfer/transfer.tsx')).Transfer,
  },
];

export const regionScreens: readonly RegionScreen[] = [
  {
    id: 'entries',
    title: 'Entries',
    icon: 'table',
    isOffered: (region) => mayBegin(['DATA', 'READ', region]),
    load: async () => (await import('../screens/entries/entries.tsx')).Entries,
  },
  {
    id: 'schema',
    title: 'Schema',
    icon: 'schema',
    isOffered: (region) => may(['DATA', 'READ', region]),
    load: async () => (await import('../screens/schema/schema.tsx')).Schema,
  },
  {
    id: 'changes',
    title: 'Changes',
    icon: 'live',
    isOffered: (region) => mayBegin(['DATA', 'READ', region]),
    load: async () => (await import('../screens/changes/changes.tsx')).Changes,
  },
  {
    id: 'indexes',
    title: 'Indexes',
    icon: 'index',
    isOffered: () => may(['CLUSTER', 'READ']),
    load: async () => (await import('../screens/indexes/indexes.tsx')).Indexes,
  },
];

export function offeredMainScreens(): readonly MainScreen[] {
  return mainScreens.filter(({ isOffered }) => isOffered());
}

export function offeredRegionScreens(region: string): readonly RegionScreen[] {
  return regionScreens.filter(({ isOffered }) => isOffered(region));
}
