// Changes of one region that a live query has received and not evaluated yet: the latest per key,
// so that they never take more memory than the region itself.

import type { CommittedChange } from '../../engine/engine.ts';
import { parseJson } from '../../value/json-parse.ts';
import type { Value } from '../../value/value.ts';

/** An entry as one commit left it. All live queries over the region share it, and its parsed value. */
export class ChangedEntry {
  readonly key: string;
  readonly sequence: number;
  /** Undefined for a removed entry. */
  readonly text: string | undefined;
  #value: Value | undefined;

  constructor(key: string, sequence: number, text: string | undefined) {
    this.key = key;
    this.sequence = sequence;
    this.text = text;
  }

  /** The value of an existing entry. */
  get value(): Value {
    this.#value ??= parseJson(this.text ?? 'null');
    return this.#value;
  }
}

/** The effect of a change on a live query. */
export type SourceChange =
  | ChangedEntry
  /** All entries of the region were removed. */
  | { readonly kind: 'clear'; readonly sequence: number }
  /** The region was created or destroyed. */
  | { readonly kind: 'region' };

/** Null for changes that no result depends on. */
export function toSourceChange(change: CommittedChange, sequence: number): SourceChange | null {
  switch (change.kind) {
    case 'put':
      return new ChangedEntry(change.key, sequence, change.value);
    case 'remove':
    case 'expire':
      return new ChangedEntry(change.key, sequence, undefined);
    case 'clear':
      return { kind: 'clear', sequence };
    case 'create-region':
    case 'destroy-region':
      return { kind: 'region' };
    case 'alter-region':
    case 'add-index':
    case 'drop-index':
      return null;
  }
}

/** With more entries, running the query again is cheaper. */
const MAX_ENTRIES = 10_000;
const MAX_SIZE = 4 * 2 ** 20;

export class SourceChanges {
  readonly #entries = new Map<string, ChangedEntry>();
  #clearedAt: number | undefined;
  /** The last commit of which a change was dropped. */
  #droppedAt: number | undefined;
  #sequence = 0;
  #size = 0;

  get isEmpty(): boolean {
    return this.#sequence === 0;
  }

  /** Number of entries among them. */
  get count(): number {
    return this.#entries.size;
  }

  /** The last commit among them. */
  get sequence(): number {
    return this.#sequence;
  }

  /** Whether some were dropped, because there were too many to evaluate one by one. */
  get isIncomplete(): boolean {
    return this.#droppedAt !== undefined;
  }

  add(change: Exclude<SourceChange, { readonly kind: 'region' }>): void {
    this.#sequence = change.sequence;
    if (!(change instanceof ChangedEntry)) {
      this.#clearedAt = change.sequence;
      this.#entries.clear();
      this.#size = 0;
      return;
    }
    this.#size += sizeOf(change) - sizeOf(this.#entries.get(change.key));
    this.#entries.set(change.key, change);
    if (this.#entries.size <= MAX_ENTRIES && this.#size <= MAX_SIZE) return;
    this.#droppedAt = change.sequence;
    this.#entries.clear();
    this.#size = 0;
  }

  /** Drops the changes up to a sequence, which a run has included. */
  forgetUntil(sequence: number): void {
    if (this.#droppedAt !== undefined && this.#droppedAt <= sequence) this.#droppedAt = undefined;
    if (this.#clearedAt !== undefined && this.#clearedAt <= sequence) this.#clearedAt = undefined;
    if (this.#sequence <= sequence) this.#sequence = 0;
    for (const change of this.#entries.values()) {
      if (change.sequence > sequence) continue;
      this.#size -= sizeOf(change);
      this.#entries.delete(change.key);
    }
  }

  /** Whether all earlier entries were removed. */
  get isCleared(): boolean {
    return this.#clearedAt !== undefined;
  }

  /** Sorted by key: if several entries fail, the first one is reported, as in a complete run. */
  list(): readonly ChangedEntry[] {
    return [...this.#entries.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
  }
}

function sizeOf(change: ChangedEntry | undefined): number {
  return change?.text?.length ?? 0;
}
