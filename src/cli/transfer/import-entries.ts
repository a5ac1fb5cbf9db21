// Entries of an input into a region, in batches. Each batch is written whole or
// not at all, so there is always a place up to which everything is in.

import { ClientError } from '../../client/index.ts';
import { explainFailure } from '../run-task.ts';
import { BadEntryError, type Place } from './bad-entry.ts';
import type { ImportTarget, TextEntry, WrittenEntry } from './grid-access.ts';
import type { PlacedEntry } from './read-entries.ts';

const BATCH_ENTRIES = 500;
const BATCH_BYTES = 1024 * 1024;
/** Keys travel in the address, which has its limit. */
const BATCH_KEYS_LENGTH = 12_000;

export type ImportOutcome =
  | {
      readonly kind: 'imported';
      /** Entries that were written. */
      readonly entries: number;
      /** Entries that were left out because their time was over. */
      readonly expired: number;
    }
  | {
      readonly kind: 'failed';
      /** What went wrong, and where. */
      readonly reason: string;
      /** Entries that are in all the same. */
      readonly entries: number;
    };

/** Throws only unexpected errors. */
export async function importEntries(
  input: AsyncIterable<PlacedEntry>,
  region: string,
  target: Pick<ImportTarget, 'put'>,
): Promise<ImportOutcome> {
  let written = 0;
  let expired = 0;
  let batch = new Batch();
  const flush = async (): Promise<void> => {
    const living = toLiving(batch.entries, Date.now());
    if (living.length > 0) await target.put(region, living);
    written += living.length;
    expired += batch.entries.length - living.length;
    batch = new Batch();
  };
  try {
    for await (const { entry, place } of input) {
      // A key that comes again overwrites, as in two requests; one may not name it twice.
      if (!batch.accepts(entry)) await flush();
      batch.add(entry, place);
    }
    await flush();
    return { kind: 'imported', entries: written, expired };
  } catch (error) {
    if (error instanceof BadEntryError) {
      const { number, unit } = error.place;
      return { kind: 'failed', reason: `${unit} ${number}: ${error.message}`, entries: written };
    }
    const reason = explainFailure(error);
    if (reason === undefined) throw error;
    const doubt = isUnanswered(error) ? ' (whether these were written is unknown)' : '';
    return { kind: 'failed', reason: `${batch.printPlaces()}${reason}${doubt}`, entries: written };
  }
}

/** Without the entries that are due; the others live for what is left of their time. */
function toLiving(entries: readonly TextEntry[], nowMs: number): readonly WrittenEntry[] {
  return entries.flatMap(({ expires, key, value }) => {
    if (expires === undefined) return [{ key, value }];
    return expires <= nowMs ? [] : [{ key, value, ttlMs: expires - nowMs }];
  });
}

/** The request was sent, and no answer came. */
function isUnanswered(error: unknown): boolean {
  return error instanceof ClientError && error.status === undefined;
}

class Batch {
  readonly entries: TextEntry[] = [];
  readonly #keys: Set<string> = new Set();
  #bytes = 0;
  #keysLength = 0;
  #first: Place | undefined;
  #last: Place | undefined;

  accepts({ key, value }: TextEntry): boolean {
    if (this.entries.length === 0) return true;
    return (
      this.entries.length < BATCH_ENTRIES &&
      this.#bytes + value.length <= BATCH_BYTES &&
      this.#keysLength + encodeURIComponent(key).length <= BATCH_KEYS_LENGTH &&
      !this.#keys.has(key)
    );
  }

  add(entry: TextEntry, place: Place): void {
    this.#first ??= place;
    this.#last = place;
    this.entries.push(entry);
    this.#keys.add(entry.key);
    this.#bytes += entry.value.length;
    this.#keysLength += encodeURIComponent(entry.key).length + 1;
  }

  /** Where it was when it failed, as the beginning of a sentence. */
  printPlaces(): string {
    if (this.#first === undefined || this.#last === undefined) return '';
    const { number, unit } = this.#first;
    const last = this.#last.number;
    return number === last ? `${unit} ${number}: ` : `${unit}s ${number} to ${last}: `;
  }
}
