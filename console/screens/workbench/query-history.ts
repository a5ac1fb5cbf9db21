// The queries that were run in this browser, the last one first. Values of parameters are not
// stored: they may be confidential.

import { signal } from '@preact/signals';

export interface RanQuery {
  readonly text: string;
  readonly at: number;
}

const STORAGE_KEY = 'gridkeep-query-history';
const MOST = 50;

export const queryHistory = signal<readonly RanQuery[]>(recall());

export function remember(text: string): void {
  const others = queryHistory.value.filter((ran) => ran.text !== text);
  queryHistory.value = [{ text, at: Date.now() }, ...others].slice(0, MOST);
  localStorage.setItem(STORAGE_KEY, JSON.stringify(queryHistory.value));
}

export function forgetAll(): void {
  queryHistory.value = [];
  localStorage.removeItem(STORAGE_KEY);
}

function recall(): readonly RanQuery[] {
  const stored = localStorage.getItem(STORAGE_KEY);
  // Only written by this module.
  return stored === null ? [] : (JSON.parse(stored) as readonly RanQuery[]);
}
