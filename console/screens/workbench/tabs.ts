// The tabs of the workbench. They outlive a reload of the page, not the browser tab.

import { signal } from '@preact/signals';
import { newId } from '../../api/new-id.ts';
import type { TypedValue } from './parameters.ts';

export interface QueryTab {
  readonly id: string;
  readonly text: string;
  readonly values: Readonly<Record<string, TypedValue>>;
  /** The named query it was opened from or saved as. */
  readonly savedAs: string | undefined;
}

interface Tabs {
  readonly list: readonly QueryTab[];
  readonly current: string;
}

const STORAGE_KEY = 'gridkeep-workbench';

export const tabs = signal<Tabs>(recall());

tabs.subscribe((value) => sessionStorage.setItem(STORAGE_KEY, JSON.stringify(value)));

export function currentTab(): QueryTab {
  const { current, list } = tabs.value;
  return list.find(({ id }) => id === current) ?? list[0] ?? newTab('');
}

export function changeTab(change: Partial<Omit<QueryTab, 'id'>>): void {
  const { id } = currentTab();
  const { current, list } = tabs.value;
  tabs.value = { current, list: list.map((tab) => (tab.id === id ? { ...tab, ...change } : tab)) };
}

/** Shows the tab with this text, or opens one: an empty tab is taken over. */
export function openQuery(
  text: string,
  {
    savedAs,
    values = {},
  }: { readonly savedAs?: string | undefined; readonly values?: QueryTab['values'] } = {},
): void {
  const { list } = tabs.value;
  const known = list.find((tab) => tab.text === text && tab.savedAs === savedAs);
  if (known !== undefined) {
    tabs.value = { list, current: known.id };
    return;
  }
  const opened = { ...newTab(text), savedAs, values };
  const kept = list.filter((tab) => tab.text.trim() !== '');
  tabs.value = { list: [...kept, opened], current: opened.id };
}

export function addTab(): void {
  const opened = newTab('');
  tabs.value = { list: [...tabs.value.list, opened], current: opened.id };
}

export function selectTab(id: string): void {
  tabs.value = { ...tabs.value, current: id };
}

/** The last one becomes an empty one. */
export function closeTab(id: string): void {
  const { current, list } = tabs.value;
  const at = list.findIndex((tab) => tab.id === id);
  const left = list.filter((tab) => tab.id !== id);
  const kept = left.length === 0 ? [newTab('')] : left;
  const neighbour = kept[Math.min(at, kept.length - 1)]?.id ?? '';
  tabs.value = { list: kept, current: current === id ? neighbour : current };
}

/** The title of a tab: its named query, or the beginning of its text. */
export function titleOf({ savedAs, text }: QueryTab): string {
  if (savedAs !== undefined) return savedAs;
  const line = text.replace(/\s+/gu, ' ').trim();
  if (line === '') return 'New query';
  return line.length > 28 ? `${line.slice(0, 27)}…` : line;
}

function newTab(text: string): QueryTab {
  return { id: newId(), text, values: {}, savedAs: undefined };
}

function recall(): Tabs {
  const stored = sessionStorage.getItem(STORAGE_KEY);
  if (stored !== null) {
    // Written by this module alone.
    const known = JSON.parse(stored) as Tabs;
    if (known.list.length > 0) return known;
  }
  const first = newTab('');
  return { list: [first], current: first.id };
}
