// Index definitions: checked here, unique by name per region, stored by the engine with the region.
// `columns` builds the indexes.

import type { Engine, RegionDescription } from '../engine/engine.ts';
import type { IndexDefinition } from '../engine/index-definition.ts';
import { printRegionPath } from '../oql/index.ts';
import { INDEX_KINDS, isOneOf } from '../value/region-words.ts';
import { badIndex, indexExists, indexNotFound } from './errors.ts';
import type { IndexUsage } from './query/index-uses.ts';
import type { UniqueIndexes } from './unique/unique-indexes.ts';

export interface NewIndex {
  readonly name: string;
  readonly expression: string;
  readonly from?: string | undefined;
  readonly kind?: string | undefined;
  /** No two entries may have the same value. */
  readonly unique?: boolean | undefined;
}

const NAME = /^[\w.-]{1,255}$/;

/** Throws when the expression or the FROM clause of a definition cannot be indexed. */
export type CheckIndex = (definition: IndexDefinition, region: string) => Promise<void>;

type FindUse = (region: string, index: string) => IndexUsage;

/** A definition, with usage figures of queries on this server. */
export type UsedIndex = IndexDefinition & IndexUsage;

export class Indexes {
  readonly #engine: Engine;
  readonly #describe: (region: string) => Promise<RegionDescription>;
  readonly #check: CheckIndex;
  readonly #findUse: FindUse;
  readonly #unique: UniqueIndexes;

  constructor({
    check,
    describe,
    engine,
    findUse,
    unique,
  }: {
    readonly engine: Engine;
    readonly describe: (region: string) => Promise<RegionDescription>;
    readonly check: CheckIndex;
    readonly findUse: FindUse;
    readonly unique: UniqueIndexes;
  }) {
    this.#engine = engine;
    this.#describe = describe;
    this.#check = check;
    this.#findUse = findUse;
    this.#unique = unique;
  }

  async create(region: string, request: NewIndex): Promise<void> {
    const described = await this.#describe(region);
    const plain = toDefinition(region, request);
    await this.#check(plain, region);
    const isUnique = request.unique === true;
    const definition = isUnique ? this.#unique.define(plain, described) : plain;
    const outcome = await this.#engine.addIndex(region, definition);
    if (outcome.kind === 'region-missing') await this.#describe(region);
    if (outcome.kind === 'added') await this.#unique.build(described, definition);
    if (outcome.kind !== 'taken') return;
    const { by } = outcome;
    const isUnfinished = isSame(by, definition) && (await this.#unique.isUnfinished(described, by));
    if (!isUnfinished) throw taken(by, definition);
    await this.#unique.build(described, by);
  }

  async list(region: string): Promise<readonly UsedIndex[]> {
    const { indexes } = await this.#describe(region);
    return indexes.map((index) => ({ ...index, ...this.#findUse(region, index.name) }));
  }

  async require(region: string, name: string): Promise<UsedIndex> {
    const indexes = await this.list(region);
    const found = indexes.find((index) => index.name === name);
    if (found !== undefined) return found;
    throw indexNotFound(
      region,
      name,
      indexes.map((index) => index.name),
    );
  }

  async drop(region: string, name: string): Promise<void> {
    const outcome = await this.#engine.dropIndex(region, name);
    if (outcome !== 'dropped') await this.require(region, name);
    await this.#unique.release();
  }
}

function isSame(one: IndexDefinition, other: IndexDefinition): boolean {
  return (
    one.name === other.name &&
    one.expression === other.expression &&
    one.from === other.from &&
    one.kind === other.kind &&
    one.unique === other.unique
  );
}

function toDefinition(region: string, request: NewIndex): IndexDefinition {
  if (!NAME.test(request.name)) {
    throw badIndex(`Index name (${request.name}) may hold letters, digits, '-', '_' and '.' only`);
  }
  // A client resolves such a path segment before it sends the request.
  if (request.name === '.' || request.name === '..') {
    throw badIndex(`Index name (${request.name}) is reserved`);
  }
  const kind = (request.kind ?? 'range').toLowerCase();
  if (!isOneOf(INDEX_KINDS, kind)) {
    throw badIndex(`Index kind (${request.kind}) must be one of ${INDEX_KINDS.join(', ')}`);
  }
  const from = request.from ?? printRegionPath(region);
  return { name: request.name, kind, expression: request.expression, from };
}

function taken(by: IndexDefinition, wanted: IndexDefinition): Error {
  return indexExists(
    by.name === wanted.name
      ? `Index (${wanted.name}) already exists`
      : `Index (${by.name}) has the same definition`,
  );
}
