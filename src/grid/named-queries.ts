// Named queries: entries of a reserved region, key = id, value = {"id","oql"}.
// The texts are stored as given; compiling is left to whoever runs them.

import type { Region } from '../engine/engine.ts';
import { badQueryId, queryExists, queryNotFound } from './errors.ts';

export const QUERIES_REGION = '_queries';

/** Means the ad-hoc query on the data plane, so no named query can have it. */
const RESERVED_ID = 'adhoc';
const MAX_ID_LENGTH = 255;

export interface NamedQuery {
  readonly id: string;
  readonly oql: string;
}

export class NamedQueries {
  readonly #region: Region;

  constructor(region: Region) {
    this.#region = region;
  }

  /** Those that are visible as JSON texts, by id. */
  async list(isVisible: (id: string) => boolean): Promise<readonly string[]> {
    const { keys, values } = await this.#region.readFirst(await this.#region.count());
    const texts = keys.length === 0 ? [] : new TextDecoder().decode(values).split('\n');
    return texts.filter((_, i) => isVisible(keys[i] ?? ''));
  }

  /** The query as JSON text. */
  async requireJson(id: string): Promise<string> {
    const [entry] = await this.#region.read([id]);
    if (entry === undefined) throw await this.#notFound(id);
    return entry.value;
  }

  async requireOql(id: string): Promise<string> {
    const query = JSON.parse(await this.requireJson(id)) as NamedQuery; // only toJson writes here
    return query.oql;
  }

  async create(query: NamedQuery): Promise<void> {
    checkId(query.id);
    const outcome = await this.#region.write(
      [{ kind: 'put', key: query.id, value: toJson(query) }],
      [{ kind: 'all-absent' }],
    );
    if (outcome.kind === 'keys-present') {
      throw queryExists(query.id, outcome.entries[0]?.value ?? 'null');
    }
  }

  async update(query: NamedQuery): Promise<void> {
    const outcome = await this.#region.write(
      [{ kind: 'put', key: query.id, value: toJson(query) }],
      [{ kind: 'all-present' }],
    );
    if (outcome.kind === 'keys-missing') throw await this.#notFound(query.id);
  }

  async remove(id: string): Promise<void> {
    const outcome = await this.#region.write(
      [{ kind: 'remove', key: id }],
      [{ kind: 'all-present' }],
    );
    if (outcome.kind === 'keys-missing') throw await this.#notFound(id);
  }

  async #notFound(id: string): Promise<Error> {
    const { keys } = await this.#region.readFirst(1000);
    return queryNotFound(id, keys);
  }
}

function toJson({ id, oql }: NamedQuery): string {
  return JSON.stringify({ id, oql });
}

function checkId(id: string): void {
  if (id.length < 1 || id.length > MAX_ID_LENGTH) {
    throw badQueryId(`A query id must have 1 to ${MAX_ID_LENGTH} characters`);
  }
  if (id === RESERVED_ID) throw badQueryId(`Query id (${id}) is reserved`);
  if (/\p{Cc}/u.test(id)) throw badQueryId('A query id must not hold control characters');
}
