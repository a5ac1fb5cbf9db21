// The catalog: existing regions, and the members of values in regions with a value constraint. It
// is cached, because every query reads it, and rebuilt after a region was created or destroyed, or
// a new member was seen.

import type { CommittedChange, Engine, RegionDescription } from '../../engine/engine.ts';
import { splitValues } from '../../engine/joined-texts.ts';
import type { Catalog, CatalogRegion } from '../../oql/index.ts';
import { kindOfJson, splitObject } from '../../value/json-text.ts';
import { isReservedRegion } from '../region-rules.ts';

/** Entries that are sampled for the members of a region's values. */
const SAMPLED_ENTRIES = 1000;

export class RegionCatalog {
  readonly #engine: Engine;
  readonly #unsubscribe: () => void;
  #current: Promise<Catalog> | undefined;
  #known: Catalog | undefined;
  /** Member names by region, only for regions with a value constraint. */
  #members = new Map<string, Set<string>>();

  constructor(engine: Engine) {
    this.#engine = engine;
    this.#unsubscribe = engine.subscribe({
      onCommit: ({ changes }) => {
        if (changes.some((change) => this.#outdates(change))) this.#forget();
      },
      onReset: () => {
        this.#members = new Map();
        this.#forget();
      },
    });
  }

  /**
   * Returns the same object until something changes that a query could depend on. The caller has
   * called `Engine.catchUp`.
   */
  current(): Promise<Catalog> {
    this.#current ??= this.#remember();
    return this.#current;
  }

  /** `current` without waiting; undefined if it must be read first. */
  get known(): Catalog | undefined {
    return this.#known;
  }

  close(): void {
    this.#unsubscribe();
  }

  #forget(): void {
    this.#current = undefined;
    this.#known = undefined;
  }

  #remember(): Promise<Catalog> {
    const current: Promise<Catalog> = this.#read().then((catalog) => {
      // Unless something changed meanwhile.
      if (this.#current === current) this.#known = catalog;
      return catalog;
    });
    return current;
  }

  #outdates(change: CommittedChange): boolean {
    switch (change.kind) {
      case 'create-region':
      case 'destroy-region':
        return true;
      case 'put': {
        const members = this.#members.get(change.region);
        return members !== undefined && addMembers(members, change.value);
      }
      case 'remove':
      case 'expire':
      case 'clear':
      case 'alter-region':
      case 'add-index':
      case 'drop-index':
        return false;
    }
  }

  async #read(): Promise<Catalog> {
    const regions = new Map<string, CatalogRegion>();
    const types = new Map<string, readonly string[]>();
    const members = new Map<string, Set<string>>();
    for (const region of await this.#engine.describeRegions()) {
      if (isReservedRegion(region.name)) continue;
      const memberNames = await this.#membersOf(region);
      if (memberNames !== undefined) members.set(region.name, memberNames);
      // The members of an empty region are unknown, so every name is accepted.
      const valueMembers =
        memberNames === undefined || memberNames.size === 0 ? undefined : [...memberNames];
      regions.set(region.name, { type: region.type, valueMembers });
      if (region.valueConstraint !== null && valueMembers !== undefined) {
        types.set(region.valueConstraint, valueMembers);
      }
    }
    this.#members = members;
    return {
      findRegion: (name) => regions.get(name),
      regionNames: () => regions.keys(),
      findTypeMembers: (name) => types.get(name),
    };
  }

  async #membersOf(region: RegionDescription): Promise<Set<string> | undefined> {
    if (region.valueConstraint === null) return undefined;
    const known = this.#members.get(region.name);
    if (known !== undefined) return known;
    const members = new Set<string>();
    const opened = await this.#engine.openRegion(region.name);
    const first = await opened?.readFirst(SAMPLED_ENTRIES);
    for (const value of first === undefined ? [] : splitValues(first.values)) {
      addMembers(members, value);
    }
    return members;
  }
}

/** Whether the value has a new member. */
function addMembers(members: Set<string>, value: string): boolean {
  if (kindOfJson(value) !== 'object') return false;
  const before = members.size;
  for (const name of splitObject(value).keys()) members.add(name);
  return members.size > before;
}
