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

/** Attempts to create an index that is dropped while it is built. */
const MOST_ATTEMPTS = 5;

const NAME = /^[\w.-]{1,255}$/;

/** A definition, with usage figures of queries on this server. */
export type UsedIndex = IndexDefinition & IndexUsage;

interface IndexesParts {
  readonly engine: Engine;
  readonly describe: (region: string) => Promise<RegionDescription>;
  /** Throws when the expression or the FROM clause of a definition cannot be indexed. */
  readonly check: (definition: IndexDefinition, region: string) => Promise<void>;
  readonly findUse: (region: string, index: string) => IndexUsage;
  readonly unique: UniqueIndexes;
}

export class Indexes {
  readonly #parts: IndexesParts;

  constructor(parts: IndexesParts) {
    this.#parts = parts;
  }

  async create(region: string, request: NewIndex): Promise<void> {
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
      if (await this.#tryToCreate(region, request)) return;
    }
    throw indexNotFound(region, request.name, []);
  }

  /** False when the region or the index was dropped meanwhile. */
  async #tryToCreate(region: string, request: NewIndex): Promise<boolean> {
    const described = await this.#parts.describe(region);
    const plain = toDefinition(region, request);
    await this.#parts.check(plain, region);
    const isUnique = request.unique === true;
    const definition = isUnique ? this.#parts.unique.define(plain, described) : plain;
    const outcome = await this.#parts.engine.addIndex(region, definition);
    if (outcome.kind === 'added') return this.#parts.unique.build(described, definition);
    if (outcome.kind === 'region-missing') return false;
    const { by } = outcome;
    const isUnfinished =
      isSame(by, definition) && (await this.#parts.unique.isUnfinished(described, by));
    if (!isUnfinished) throw taken(by, definition);
    return this.#parts.unique.build(described, by);
  }

  async list(region: string): Promise<readonly UsedIndex[]> {
    const { indexes } = await this.#parts.describe(region);
    return indexes.map((index) => ({ ...index, ...this.#parts.findUse(region, index.name) }));
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
    const outcome = await this.#parts.engine.dropIndex(region, name);
    if (outcome !== 'dropped') await this.require(region, name);
    await this.#parts.unique.release();
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
