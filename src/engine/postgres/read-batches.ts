// Reads by key, in batches. Reads that arrive while a statement runs go into the next one, because a
// round trip costs more than its look-ups. A statement sees one snapshot.

import type { ClientBase } from 'pg';
import type { StoredEntry } from '../engine.ts';
import { encodeKey } from '../key-encoding.ts';
import { integerArray, textArray } from './array-parameter.ts';
import type { Link } from './link.ts';
import { queryRows, readEntries, toEntry } from './query-rows.ts';

const MAX_BATCH_KEYS = 2048;

interface PendingRead {
  readonly regionId: number;
  readonly keys: readonly string[];
  readonly resolve: (entries: readonly (StoredEntry | undefined)[]) => void;
  readonly reject: (error: unknown) => void;
}

// `readEntries` for keys of several regions.
const READ_KEYS = `SELECT e.version, e.value
  FROM unnest($1::bigint[], $2::text[]) WITH ORDINALITY i(region, key, n)
  LEFT JOIN LATERAL (
    SELECT x.version, x.value FROM regions r JOIN entries x ON x.region = r.data_id AND x.key = i.key
    WHERE r.id = i.region LIMIT 1) e ON true
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

/** A batch of keys of one region uses `readEntries`, which takes a fifth less time. */
async function readKeys(
  client: ClientBase,
  batch: readonly PendingRead[],
): Promise<readonly (StoredEntry | undefined)[]> {
  const [first] = batch;
  if (first !== undefined && batch.every(({ regionId }) => regionId === first.regionId)) {
    const keys = batch.length === 1 ? first.keys : batch.flatMap((read) => read.keys);
    return readEntries(client, first.regionId, keys);
  }
  const regions = batch.flatMap(({ keys, regionId }) => keys.map(() => regionId));
  const keys = batch.flatMap((read) => read.keys.map(encodeKey));
  const values = [integerArray(regions), textArray(keys)];
  return (await queryRows(client, { name: 'read', text: READ_KEYS, values })).map(toEntry);
}
