// Opens change feeds: finds their regions, compiles their condition, and finds the sequence after
// which they begin.

import type { RegionDescription } from '../../engine/engine.ts';
import {
  bindCondition,
  type Catalog,
  compileValueCondition,
  type ValueCondition,
} from '../../oql/index.ts';
import { changesGone, noOldValues, regionNotFound } from '../errors.ts';
import { type GridLimits, toParseLimits } from '../limits.ts';
import { isReservedRegion } from '../region-rules.ts';
import { ChangeFeed, type FeedSelection } from './change-feed.ts';
import { ChangeHub, type HubParts } from './change-hub.ts';

/**
 * The start of a feed: after a commit, at the oldest kept change, at the end of the log, or at a
 * time.
 */
export type FeedStart =
  | { readonly kind: 'sequence'; readonly sequence: number }
  | { readonly kind: 'kept' }
  | { readonly kind: 'now' }
  | { readonly kind: 'time'; readonly atMs: number; readonly text: string };

export interface FeedRequest extends Pick<FeedSelection, 'accepts' | 'values'> {
  /** Names of regions; undefined for all. */
  readonly regions: readonly string[] | undefined;
  readonly start: FeedStart;
  /** An OQL condition on the values put. */
  readonly where?: string | undefined;
}

export interface ChangeFeedsParts extends HubParts {
  readonly limits: GridLimits;
  readonly wallClock: () => number;
  readonly catalog: () => Promise<Catalog>;
}

/** Changes read at once while searching for those of a destroyed region. */
const SEARCHED_CHANGES = 4096;

export class ChangeFeeds {
  readonly #parts: ChangeFeedsParts;
  readonly #hub: ChangeHub;

  constructor(parts: ChangeFeedsParts) {
    this.#parts = parts;
    this.#hub = new ChangeHub(parts);
  }

  /**
   * Throws `grid/region-not-found`, `grid/changes-gone`, `grid/no-history` where old values are
   * requested and none of the named regions keeps any, and an OqlError for an invalid condition. A
   * region destroyed after the start is found: the feed reports its end.
   */
  async open(request: FeedRequest): Promise<ChangeFeed> {
    const { accepts, regions, values, where } = request;
    const { engine, pause, wallClock } = this.#parts;
    await engine.catchUp();
    const described = (await engine.describeRegions()).filter(
      ({ name }) => !isReservedRegion(name),
    );
    const known = described.map(({ name }) => name);
    const absent = (regions ?? []).filter((name) => !known.includes(name));
    if (absent.length > 0 && request.start.kind === 'now') {
      throw regionNotFound(absent[0] ?? '', known);
    }
    if (values === 'new-and-old') requireHistory(described, regions);
    const conditionOf = where === undefined ? undefined : await this.#compile(where);
    // An invalid condition is refused now, not at the first change.
    for (const name of regions ?? known) conditionOf?.(name);
    const position = await this.#findStart(request.start);
    for (const name of absent) {
      if (!(await this.#isRecorded(name, position))) throw regionNotFound(name, known);
    }
    return new ChangeFeed(
      { engine, hub: this.#hub, pause, wallClock },
      { accepts, values, conditionOf, regions: regions && new Set(regions) },
      position,
    );
  }

  close(): void {
    this.#hub.close();
  }

  async #findStart(start: FeedStart): Promise<number> {
    const { engine } = this.#parts;
    if (start.kind === 'time') {
      const outcome = await engine.findSequenceAt(start.atMs);
      if (outcome.kind === 'gone') throw changesGone(start.text, outcome);
      return outcome.sequence;
    }
    if (start.kind === 'now') return (await engine.readChanges(engine.stats().sequence, 0)).latest;
    const sequence = start.kind === 'kept' ? 0 : start.sequence;
    const outcome = await engine.readChanges(sequence, 0);
    if (outcome.kind === 'changes') return sequence;
    if (start.kind === 'kept') return outcome.oldest;
    throw changesGone(sequence, outcome);
  }

  async #isRecorded(region: string, after: number): Promise<boolean> {
    const regions = new Set([region]);
    for (let sequence = after; ; ) {
      const outcome = await this.#parts.engine.readChanges(sequence, SEARCHED_CHANGES, { regions });
      if (outcome.kind === 'gone') return false;
      if (outcome.changes.length > 0) return true;
      if (outcome.through === outcome.latest) return false;
      sequence = outcome.through;
    }
  }

  /** Compiles the condition once per region, at its first change. */
  async #compile(text: string): Promise<(region: string) => ValueCondition> {
    const limits = toParseLimits(this.#parts.limits);
    const catalog = await this.#parts.catalog();
    const conditions = new Map<string, ValueCondition>();
    return (region) => {
      const compiled = conditions.get(region);
      if (compiled !== undefined) return compiled;
      const query = bindCondition(text, region, conditionCatalog(catalog, region), limits);
      const condition = compileValueCondition(query);
      conditions.set(region, condition);
      return condition;
    };
  }
}

/** One of the named regions is enough; a destroyed one may have had history. */
function requireHistory(
  described: readonly RegionDescription[],
  regions: readonly string[] | undefined,
): void {
  const named = described.filter(({ name }) => regions?.includes(name) === true);
  const [first] = named;
  if (first === undefined || named.some(({ history }) => history !== undefined)) return;
  throw noOldValues(first.name);
}

/**
 * A condition reads no region, so the types of regions do not matter. The members of a region that
 * was created or destroyed meanwhile are unknown. All names are found: a condition that reads a
 * region is refused for that reason, whether or not the region exists.
 */
function conditionCatalog(catalog: Catalog, region: string): Catalog {
  const valueMembers = catalog.findRegion(region)?.valueMembers;
  return {
    findRegion: (name) => ({
      type: 'REPLICATE',
      valueMembers: name === region ? valueMembers : undefined,
    }),
    regionNames: () => [],
    findTypeMembers: () => undefined,
  };
}
