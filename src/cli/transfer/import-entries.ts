// Entries of an input into a region, in batches. Into a store each batch is written whole or not at
// all, so there is always a place up to which everything is in. A service takes larger batches, as
// bulk loads; there each entry fails alone.

import { ClientError } from '../../client/index.ts';
import { explainFailure } from '../run-task.ts';
import { BadEntryError, type Place } from './bad-entry.ts';
import type { ImportTarget, Loaded, TextEntry, WrittenEntry } from './grid-access.ts';
import type { PlacedEntry } from './read-entries.ts';

interface BatchLimits {
  readonly entries: number;
  readonly bytes: number;
  /** Characters of all keys together. */
  readonly keys: number;
}

/** The keys may travel in an address, which has its limit. */
const WHOLE_BATCH: BatchLimits = { entries: 500, bytes: 1024 * 1024, keys: 12_000 };
const BULK_LOAD: BatchLimits = { entries: 5_000, bytes: 4 * 1024 * 1024, keys: 4 * 1024 * 1024 };
/** Failed entries that are named; the rest are counted. */
const NAMED_FAILURES = 20;

export type ImportOutcome =
  | {
      readonly kind: 'imported';
      /** Entries that were written. */
      readonly entries: number;
      /** Entries that were left out because their time was over. */
      readonly expired: number;
      /** Entries that were refused. */
      readonly refused: number;
      /** Why and where, of the first of these. */
      readonly refusals: readonly string[];
    }
  | {
      readonly kind: 'failed';
      /** The error, and its position. */
      readonly reason: string;
      /** Entries that are in all the same. */
      readonly entries: number;
    };

/** Throws only unexpected errors. */
export async function importEntries(
  input: AsyncIterable<PlacedEntry>,
  region: string,
  target: Pick<ImportTarget, 'put' | 'load'>,
): Promise<ImportOutcome> {
  const limits = target.load === undefined ? WHOLE_BATCH : BULK_LOAD;
  const done = { entries: 0, expired: 0, refused: 0, refusals: [] as string[] };
  let batch = new Batch(limits);
  const flush = async (): Promise<void> => {
    const living = toLiving(batch.entries, Date.now());
    const { failed, failures } = await write(target, region, living);
    done.entries += living.length - failed;
    done.expired += batch.entries.length - living.length;
    done.refused += failed;
    for (const { index, message } of failures.slice(0, NAMED_FAILURES - done.refusals.length)) {
      done.refusals.push(`${printPlace(living[index]?.place)}${message}`);
    }
    batch = new Batch(limits);
  };
  try {
    for await (const placed of input) {
      // A key that comes again overwrites, as in two requests; one may not name it twice.
      if (!batch.accepts(placed.entry)) await flush();
      batch.add(placed);
    }
    await flush();
    return { kind: 'imported', ...done };
  } catch (error) {
    const { entries } = done;
    if (error instanceof BadEntryError) {
      return { kind: 'failed', reason: `${printPlace(error.place)}${error.message}`, entries };
    }
    const reason = explainFailure(error);
    if (reason === undefined) throw error;
    const doubt = isUnanswered(error) ? ' (whether these were written is unknown)' : '';
    return { kind: 'failed', reason: `${batch.printPlaces()}${reason}${doubt}`, entries };
  }
}

async function write(
  target: Pick<ImportTarget, 'put' | 'load'>,
  region: string,
  entries: readonly WrittenEntry[],
): Promise<Loaded> {
  if (entries.length === 0) return ALL_WRITTEN;
  if (target.load !== undefined) return target.load(region, entries);
  await target.put(region, entries);
  return ALL_WRITTEN;
}

const ALL_WRITTEN: Loaded = { failed: 0, failures: [] };

/** As the beginning of a sentence. */
function printPlace(place: Place | undefined): string {
  return place === undefined ? '' : `${place.unit} ${place.number}: `;
}

type LivingEntry = WrittenEntry & { readonly place: Place };

/** Without expired entries; the others live for the rest of their time. */
function toLiving(entries: readonly PlacedEntry[], nowMs: number): readonly LivingEntry[] {
  return entries.flatMap(({ entry: { expires, key, value }, place }) => {
    if (expires === undefined) return [{ key, value, place }];
    return expires <= nowMs ? [] : [{ key, value, place, ttlMs: expires - nowMs }];
  });
}

/** The request was sent, and no answer came. */
function isUnanswered(error: unknown): boolean {
  return error instanceof ClientError && error.status === undefined;
}

class Batch {
  readonly entries: PlacedEntry[] = [];
  readonly #limits: BatchLimits;
  readonly #keys: Set<string> = new Set();
  #bytes = 0;
  #keysLength = 0;

  constructor(limits: BatchLimits) {
    this.#limits = limits;
  }

  accepts({ key, value }: TextEntry): boolean {
    if (this.entries.length === 0) return true;
    const { bytes, entries, keys } = this.#limits;
    return (
      this.entries.length < entries &&
      this.#bytes + value.length <= bytes &&
      this.#keysLength + encodeURIComponent(key).length <= keys &&
      !this.#keys.has(key)
    );
  }

  add(placed: PlacedEntry): void {
    const { key, value } = placed.entry;
    this.entries.push(placed);
    this.#keys.add(key);
    this.#bytes += value.length;
    this.#keysLength += encodeURIComponent(key).length + 1;
  }

  /** Where it was when it failed, as the beginning of a sentence. */
  printPlaces(): string {
    const first = this.entries[0]?.place;
    const last = this.entries.at(-1)?.place;
    if (first === undefined || last === undefined || first.number === last.number) {
      return printPlace(first);
    }
    return `${first.unit}s ${first.number} to ${last.number}: `;
  }
}
