// One region of the PostgreSQL store.

import type {
  Change,
  Committed,
  FirstEntries,
  Region,
  RegionDefinition,
  StoredEntry,
  ValuesTogether,
  WriteGuard,
  WriteOutcome,
} from '../engine.ts';
import { checkRead } from '../entry-limits.ts';
import { joinEntries } from '../joined-texts.ts';
import { toWriteRequest } from '../region-requests.ts';
import type { RegionState } from './store-state.ts';
import type { Submit } from './write-batch.ts';

export interface RegionContext {
  /** The region now, after catching up; undefined when it was destroyed. */
  readonly current: (name: string, id: number) => Promise<RegionState | undefined>;
  readonly read: (
    id: number,
    keys: readonly string[],
  ) => Promise<readonly (StoredEntry | undefined)[]>;
  readonly readFirst: (id: number, limit: number) => Promise<FirstEntries>;
  readonly submit: Submit;
}

export class PostgresRegion implements Region {
  readonly definition: RegionDefinition;
  readonly #id: number;
  readonly #context: RegionContext;

  constructor({ definition, id }: RegionState, context: RegionContext) {
    this.definition = definition;
    this.#id = id;
    this.#context = context;
  }

  async count(): Promise<number> {
    return (await this.#context.current(this.definition.name, this.#id))?.entryCount ?? 0;
  }

  async read(keys: readonly string[]): Promise<readonly (StoredEntry | undefined)[]> {
    const entries = await this.#context.read(this.#id, keys);
    checkRead(entries);
    return entries;
  }

  async readTogether(keys: readonly string[]): Promise<ValuesTogether | undefined> {
    return joinEntries(await this.read(keys));
  }

  async readFirst(limit: number): Promise<FirstEntries> {
    return this.#context.readFirst(this.#id, Math.max(0, limit));
  }

  async write(
    changes: readonly Change[],
    guards: readonly WriteGuard[] = [],
  ): Promise<WriteOutcome> {
    return this.#context.submit(toWriteRequest(this.#target, changes, guards));
  }

  clear(): Promise<Committed> {
    return this.#context.submit({ kind: 'clear', ...this.#target });
  }

  get #target(): { readonly region: string; readonly regionId: number } {
    return { region: this.definition.name, regionId: this.#id };
  }
}
