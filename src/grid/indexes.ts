// Index definitions: checked, named once per region, kept by the engine beside
// the region. Filling them is the work of `columns`.

import type { Engine, RegionDescription } from '../engine/engine.ts';
import type { IndexDefinition, IndexKind } from '../engine/index-definition.ts';
import { badIndex, indexExists, indexNotFound } from './errors.ts';

export interface IndexRequest {
  readonly name: string;
  readonly expression: string;
  readonly from?: string | undefined;
  readonly kind?: string | undefined;
}

const KINDS: readonly string[] = ['range', 'hash', 'key'] satisfies IndexKind[];
const NAME = /^[\w.-]{1,255}$/;

/** Throws when the expression or the FROM clause of a definition cannot be indexed. */
export type CheckIndex = (definition: IndexDefinition, region: string) => Promise<void>;

export class Indexes {
  readonly #engine: Engine;
  readonly #describe: (region: string) => Promise<RegionDescription>;
  readonly #check: CheckIndex;
  /** Definitions are read, changed and written as a whole, so changes wait for each other. */
  #lastChange: Promise<unknown> = Promise.resolve();

  constructor(
    engine: Engine,
    describe: (region: string) => Promise<RegionDescription>,
    check: CheckIndex,
  ) {
    this.#engine = engine;
    this.#describe = describe;
    this.#check = check;
  }

  create(region: string, request: IndexRequest): Promise<void> {
    return this.#inTurn(async () => {
      const { indexes } = await this.#describe(region);
      const definition = toDefinition(region, request);
      await this.#check(definition, region);
      refuseTaken(indexes, definition);
      await this.#engine.defineIndexes(region, [...indexes, definition]);
    });
  }

  async require(region: string, name: string): Promise<IndexDefinition> {
    const { indexes } = await this.#describe(region);
    const found = indexes.find((index) => index.name === name);
    if (found !== undefined) return found;
    throw indexNotFound(
      region,
      name,
      indexes.map((index) => index.name),
    );
  }

  drop(region: string, name: string): Promise<void> {
    return this.#inTurn(async () => {
      await this.require(region, name);
      const { indexes } = await this.#describe(region);
      await this.#engine.defineIndexes(
        region,
        indexes.filter((index) => index.name !== name),
      );
    });
  }

  #inTurn(change: () => Promise<void>): Promise<void> {
    const turn = this.#lastChange.then(change);
    this.#lastChange = turn.catch(() => undefined);
    return turn;
  }
}

function toDefinition(region: string, request: IndexRequest): IndexDefinition {
  if (!NAME.test(request.name)) {
    throw badIndex(`Index name (${request.name}) may hold letters, digits, '-', '_' and '.' only`);
  }
  // A client resolves such a path segment before it sends the request.
  if (request.name === '.' || request.name === '..') {
    throw badIndex(`Index name (${request.name}) is reserved`);
  }
  const kind = (request.kind ?? 'range').toLowerCase();
  if (!isIndexKind(kind)) {
    throw badIndex(`Index kind (${request.kind}) must be one of ${KINDS.join(', ')}`);
  }
  const from = request.from ?? `/${region}`;
  return { name: request.name, kind, expression: request.expression, from };
}

function isIndexKind(kind: string): kind is IndexKind {
  return KINDS.includes(kind);
}

function refuseTaken(indexes: readonly IndexDefinition[], wanted: IndexDefinition): void {
  for (const index of indexes) {
    if (index.name === wanted.name) throw indexExists(`Index (${wanted.name}) already exists`);
    const same =
      index.expression === wanted.expression &&
      index.from === wanted.from &&
      index.kind === wanted.kind;
    if (same) throw indexExists(`Index (${index.name}) has the same definition`);
  }
}
