// Reads by key, in batches. Reads that arrive while a statement runs go into the next one, because a
// round trip costs more than its look-ups. A statement sees one snapshot.

import type { ClientBase } from 'pg';
import type { StoredEntry } from '../engine.ts';
import { encodeKey } from '../key-encoding.ts';
import { integerArray, textArray } from './array-parameter.ts';
import type { Link } from './link.ts';

const MAX_BATCH_KEYS = 2048;

interface PendingRead {
  readonly regionId: number;
  readonly keys: readonly string[];
  readonly resolve: (entries: readonly (StoredEntry | undefined)[]) => void;
  readonly reject: (error: unknown) => void;
}

// The inner LIMIT keeps the plan a look-up per key: a plan made for an empty table would scan it. The
// join with `regions` hides the entries of regions that were cleared or destroyed.
const READ_KEYS = `SELECT e.version, e.value
  FROM unnest($1::bigint[], $2::text[]) WITH ORDINALITY i(region, key, n)
  LEFT JOIN LATERAL (
    SELECT x.version, x.value FROM regions r JOIN entries x ON x.region = r.data_id AND x.key = i.key
    WHERE r.id = i.region LIMIT 1) e ON true
  ORDER BY i.n`;

// The same for keys of one region, which is then looked up once. It takes a fifth less time.
const READ_KEYS_OF_ONE = `SELECT e.version, e.value
  FROM unnest($2::text[]) WITH ORDINALITY i(key, n)
  LEFT JOIN LATERAL (
    SELECT x.version, x.value FROM entries x
    WHERE x.region = (SELECT data_id FROM regions WHERE id = $1) AND x.key = i.key LIMIT 1) e ON true
  ORDER BY i.n`;

export class ReadBatches {
  readonly #links: readonly Link[];
  readonly #idle: Link[];
  #pending: PendingRead[] = [];
  #isScheduled = false;

  constructor(links: readonly Link[]) {
    this.#links = links;
    this.#idle = [...links];
  }

  read(regionId: number, keys: readonly string[]): Promise<readonly (StoredEntry | undefined)[]> {
    return new Promise((resolve, reject) => {
      this.#pending.push({ regionId, keys, resolve, reject });
      if (this.#isScheduled) return;
      this.#isScheduled = true;
      setImmediate(() => {
        this.#isScheduled = false;
        this.#sendNext();
      });
    });
  }

  async close(): Promise<void> {
    await Promise.all(this.#links.map((link) => link.close()));
  }

  #sendNext(): void {
    while (this.#pending.length > 0) {
      const link = this.#idle.pop();
      if (link === undefined) return;
      const batch = this.#take();
      void this.#send(link, batch).finally(() => {
        this.#idle.push(link);
        this.#sendNext();
      });
    }
  }

  #take(): readonly PendingRead[] {
    let keys = 0;
    let count = 0;
    for (const read of this.#pending) {
      keys += read.keys.length;
      if (count > 0 && keys > MAX_BATCH_KEYS) break;
      count += 1;
    }
    return this.#pending.splice(0, count);
  }

  async #send(link: Link, batch: readonly PendingRead[]): Promise<void> {
    try {
      const entries = await link.read((client) => readKeys(client, batch));
      let at = 0;
      for (const { keys, resolve } of batch) {
        resolve(entries.slice(at, at + keys.length));
        at += keys.length;
      }
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}

async function readKeys(
  client: ClientBase,
  batch: readonly PendingRead[],
): Promise<readonly (StoredEntry | undefined)[]> {
  const regions: number[] = [];
  const texts: string[] = [];
  for (const { keys, regionId } of batch) {
    for (const key of keys) {
      regions.push(regionId);
      texts.push(encodeKey(key));
    }
  }
  const [region] = regions;
  const isOne = regions.every((each) => each === region);
  const { rows } = await client.query<(string | null)[]>({
    name: isOne ? 'read of one' : 'read',
    text: isOne ? READ_KEYS_OF_ONE : READ_KEYS,
    values: [isOne ? region : integerArray(regions), textArray(texts)],
    rowMode: 'array',
  });
  return rows.map(([version, value]) =>
    value == null ? undefined : { value, version: Number(version) },
  );
}
