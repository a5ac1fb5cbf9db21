// The life cycle of unique indexes: defined, built from existing entries, dropped with their
// records. Decision 0070.

import type { Engine, RegionDescription } from '../../engine/engine.ts';
import type { IndexDefinition } from '../../engine/index-definition.ts';
import { OqlError } from '../../oql/index.ts';
import { badIndex, GridError } from '../errors.ts';
import { type BuildParts, buildUnique, isBuilt } from './build-unique.ts';
import { purgeRecords } from './purge-records.ts';
import { isRecordsRegion, recordsRegion } from './unique-records.ts';
import { toUniqueRule, toUniqueRules, type UniqueRule, UniqueRules } from './unique-rules.ts';

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

  /** The definition of a unique index; throws `grid/bad-index` when it cannot be unique. */
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

  /**
   * Builds the records of existing entries; drops the index if two have the same value. False when
   * it was dropped meanwhile, as by another server that found such entries.
   */
  async build(region: RegionDescription, definition: IndexDefinition): Promise<boolean> {
    const rule = toUniqueRule(definition, region);
    if (rule === undefined) return true;
    try {
      await buildUnique(this.#parts, rule);
      if (await this.#isDefined(rule)) return true;
    } catch (error) {
      const isGone = error instanceof GridError && error.code === 'grid/index-not-found';
      if (!isGone) {
        await this.drop(rule).catch(() => undefined);
        throw error;
      }
    }
    await this.drop(rule);
    return false;
  }

  /** Whether an index was defined by a server that stopped before it had checked all entries. */
  async isUnfinished(region: RegionDescription, definition: IndexDefinition): Promise<boolean> {
    const rule = toUniqueRule(definition, region);
    return rule !== undefined && !(await isBuilt(this.#engine, rule));
  }

  /** Recovers after a crash: builds unfinished indexes, and removes records of dropped ones. */
  async resume(): Promise<void> {
    const regions = await this.#engine.describeRegions();
    for (const rule of regions.flatMap(toUniqueRules)) {
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

  async drop(rule: UniqueRule): Promise<void> {
    if (await this.#isDefined(rule)) await this.#engine.dropIndex(rule.region, rule.name);
    await this.#engine.destroyRegion(rule.records);
  }

  async #isDefined({ records, region }: UniqueRule): Promise<boolean> {
    const described = (await this.#engine.describeRegions()).find((each) => each.name === region);
    return described?.indexes.some((index) => index.records === records) === true;
  }

  /** Removes the records of dropped indexes; an index is defined before its records are written. */
  async release(): Promise<void> {
    const regions = await this.#engine.describeRegions();
    const used = new Set(regions.flatMap(({ indexes }) => indexes.map(({ records }) => records)));
    for (const { name } of regions) {
      if (isRecordsRegion(name) && !used.has(name)) await this.#engine.destroyRegion(name);
    }
  }

  /** Removes records of removed entries, in the background. */
  purge(region: string): void {
    void this.#purge(region).catch(() => undefined);
  }

  async #purge(region: string): Promise<void> {
    for (const rule of await this.rules.find(region)) {
      await purgeRecords(this.#engine, rule, this.#parts.pause);
    }
  }
}

/** A region as users see it. */
export function showIndexes(region: RegionDescription): RegionDescription {
  return { ...region, indexes: region.indexes.map(({ records: _, ...shown }) => shown) };
}
