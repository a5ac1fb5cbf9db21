// The life of unique indexes: made, gone through once, dropped with their records. Decision 0070.

import type { Engine, RegionDescription } from '../../engine/engine.ts';
import type { IndexDefinition } from '../../engine/index-definition.ts';
import { OqlError } from '../../oql/index.ts';
import { badIndex, GridError } from '../errors.ts';
import { type BuildParts, buildUnique, isBuilt } from './build-unique.ts';
import { purgeRecords } from './purge-records.ts';
import { isRecordsRegion, recordsRegion } from './unique-records.ts';
import { toUniqueRule, type UniqueRule, UniqueRules } from './unique-rules.ts';

export class UniqueIndexes {
  readonly rules: UniqueRules;
  readonly #parts: BuildParts;
  readonly #engine: Engine;

  constructor(parts: BuildParts) {
    this.#parts = parts;
    this.#engine = parts.engine;
    this.rules = new UniqueRules(parts.engine);
  }

  close(): void {
    this.rules.close();
  }

  /** The definition of an index that is to be unique; throws `grid/bad-index` when it cannot be. */
  define(definition: IndexDefinition, region: RegionDescription): IndexDefinition {
    if (region.type === 'EMPTY') {
      throw badIndex('A region of type EMPTY keeps no entries that could be unique');
    }
    const records = recordsRegion(crypto.randomUUID());
    const unique = { ...definition, unique: true, records } as const;
    try {
      toUniqueRule(unique, region);
    } catch (error) {
      throw error instanceof OqlError ? badIndex(error.message) : error;
    }
    return unique;
  }

  /** Goes through the entries that were there before; an index that cannot be unique is dropped. */
  async build(region: RegionDescription, definition: IndexDefinition): Promise<void> {
    const rule = toUniqueRule(definition, region);
    if (rule === undefined) return;
    try {
      await buildUnique(this.#parts, rule);
    } catch (error) {
      await this.drop(rule).catch(() => undefined);
      throw error;
    }
  }

  /** Whether an index was defined by a server that stopped before it had checked all entries. */
  async isUnfinished(region: RegionDescription, definition: IndexDefinition): Promise<boolean> {
    const rule = toUniqueRule(definition, region);
    return rule !== undefined && !(await isBuilt(this.#engine, rule));
  }

  /** Finishes what a crash left: indexes that are not built, and records of indexes that are gone. */
  async resume(): Promise<void> {
    const regions = await this.#engine.describeRegions();
    for (const rule of regions.flatMap(rulesOf)) {
      if (await isBuilt(this.#engine, rule)) continue;
      try {
        await buildUnique(this.#parts, rule);
      } catch (error) {
        // A temporary failure is retried at the next start.
        if (error instanceof GridError) await this.drop(rule);
        else throw error;
      }
    }
    await this.release();
  }

  async drop({
    name,
    records,
    region,
  }: Pick<UniqueRule, 'name' | 'records' | 'region'>): Promise<void> {
    const described = (await this.#engine.describeRegions()).find((each) => each.name === region);
    const isThere = described?.indexes.some((index) => index.records === records);
    if (isThere === true) await this.#engine.dropIndex(region, name);
    await this.#engine.destroyRegion(records);
  }

  /** Removes the records of indexes that are gone: an index has its definition before its records. */
  async release(): Promise<void> {
    const regions = await this.#engine.describeRegions();
    const used = new Set(regions.flatMap(({ indexes }) => indexes.map(({ records }) => records)));
    for (const { name } of regions) {
      if (isRecordsRegion(name) && !used.has(name)) await this.#engine.destroyRegion(name);
    }
  }

  /** Removes records of entries that are no more, in the background. */
  purge(region: string): void {
    void this.#purge(region).catch(() => undefined);
  }

  async #purge(region: string): Promise<void> {
    for (const rule of await this.rules.find(region)) {
      await purgeRecords(this.#engine, rule, this.#parts.pause);
    }
  }
}

function rulesOf(region: RegionDescription): readonly UniqueRule[] {
  return region.indexes.flatMap((index) => toUniqueRule(index, region) ?? []);
}

/** A region as users see it. */
export function showIndexes(region: RegionDescription): RegionDescription {
  return { ...region, indexes: region.indexes.map(showIndex) };
}

function showIndex(definition: IndexDefinition): IndexDefinition {
  if (definition.records === undefined) return definition;
  const { records: _, ...shown } = definition;
  return shown;
}
