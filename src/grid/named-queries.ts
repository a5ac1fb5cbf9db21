// Named queries: entries of a reserved region, key = id, value = {"id","oql"}. The texts are stored
// as given and compiled when they are run. Texts that were run are cached until a query changes.

import type { Engine, Region } from '../engine/engine.ts';
import { splitValues } from '../engine/joined-texts.ts';
import { andThen } from './and-then.ts';
import { checkValueLength } from './constraints.ts';
import { badQueryId, queryExists, queryNotFound } from './errors.ts';
import { RecentlyUsed } from './recently-used.ts';

export const QUERIES_REGION = '_queries';

/** `adhoc` is a path of the data plane; clients resolve the other two within a URL. */
const RESERVED_IDS: readonly string[] = ['adhoc', '.', '..'];
/** Characters, not UTF-16 code units; at most 1,020 bytes, so that an id is a legal key. */
const ID_LENGTH = /^.{1,255}$/su;
const MAX_TEXTS = 512;

export interface NamedQuery {
  readonly id: string;
  readonly oql: string;
}

export class NamedQueries {
  readonly #engine: Engine;
  readonly #region: Region;
  readonly #maxValueBytes: number;
  readonly #unsubscribe: () => void;
  readonly #texts = new RecentlyUsed<string>(MAX_TEXTS);
  /** Raised when a query changes, so that a read in progress is not cached. */
  #generation = 0;

  constructor(engine: Engine, region: Region, maxValueBytes: number) {
    this.#engine = engine;
    this.#region = region;
    this.#maxValueBytes = maxValueBytes;
    this.#unsubscribe = engine.subscribe({
      onCommit: ({ changes }) => {
        if (changes.some((change) => change.region === QUERIES_REGION)) this.#forget();
      },
      onReset: () => this.#forget(),
    });
  }

  close(): void {
    this.#unsubscribe();
  }

  /** The visible queries as JSON texts, by id. */
  async list(isVisible: (id: string) => boolean): Promise<readonly string[]> {
    const { keys, values } = await this.#region.readFirst(await this.#region.count());
    return splitValues(values).filter((_, i) => isVisible(keys[i] ?? ''));
  }

  /** The query as JSON text. */
  async requireJson(id: string): Promise<string> {
    const [entry] = await this.#region.read([id]);
    if (entry === undefined) throw await this.#notFound(id);
    return entry.value;
  }

  /** Synchronous if the query was run before and no other server can have changed it. */
  requireOql(id: string): string | Promise<string> {
    return andThen(this.#engine.catchUp(), () => this.#texts.get(id) ?? this.#readOql(id));
  }

  #forget(): void {
    this.#generation += 1;
    this.#texts.clear();
  }

  async #readOql(id: string): Promise<string> {
    const generation = this.#generation;
    const query = JSON.parse(await this.requireJson(id)) as NamedQuery; // only `#toValue` writes here
    if (generation === this.#generation) this.#texts.set(id, query.oql);
    return query.oql;
  }

  async create(query: NamedQuery): Promise<void> {
    checkId(query.id);
    const outcome = await this.#region.write(
      [{ kind: 'put', key: query.id, value: this.#toValue(query) }],
      [{ kind: 'all-absent' }],
    );
    if (outcome.kind === 'keys-present') {
      throw queryExists(query.id, outcome.entries[0]?.value ?? 'null');
    }
  }

  async update(query: NamedQuery): Promise<void> {
    const outcome = await this.#region.write(
      [{ kind: 'put', key: query.id, value: this.#toValue(query) }],
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

  #toValue({ id, oql }: NamedQuery): string {
    const value = JSON.stringify({ id, oql });
    checkValueLength(`query (${id})`, value, this.#maxValueBytes);
    return value;
  }

  async #notFound(id: string): Promise<Error> {
    const { keys } = await this.#region.readFirst(1000);
    return queryNotFound(id, keys);
  }
}

function checkId(id: string): void {
  if (!ID_LENGTH.test(id)) throw badQueryId('A query id must have 1 to 255 characters');
  if (RESERVED_IDS.includes(id)) throw badQueryId(`Query id (${id}) is reserved`);
  if (/\p{Cc}/u.test(id)) throw badQueryId('A query id must not hold control characters');
}
