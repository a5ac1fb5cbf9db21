// Imports the entries of an input into a region, in batches. A store writes each batch atomically,
// so there is always a position up to which everything is imported. A service takes larger batches,
// as bulk loads; there each entry fails on its own.

import { ClientError } from '../../client/index.ts';
import { explainFailure } from '../run-task.ts';
import { BadEntryError, type InputPosition } from './bad-entry.ts';
import type { ImportTarget, Loaded, TextEntry, WrittenEntry } from './grid-access.ts';
import type { InputEntry } from './read-entries.ts';

interface BatchLimits {
  readonly entries: number;
  readonly bytes: number;
  /** Characters of all keys together. */
  readonly keys: number;
}

/** The keys may be sent in a URL, whose length is limited. */
const WHOLE_BATCH: BatchLimits = { entries: 500, bytes: 1024 * 1024, keys: 12_000 };
const BULK_LOAD: BatchLimits = { entries: 5_000, bytes: 4 * 1024 * 1024, keys: 4 * 1024 * 1024 };
/** Failed entries that are listed; the others are counted. */
const NAMED_FAILURES = 20;

export type ImportOutcome =
  | {
      readonly kind: 'imported';
      /** Entries that were written. */
      readonly entries: number;
      /** Entries that were skipped because they had expired. */
      readonly expired: number;
      /** Entries that were refused. */
      readonly refused: number;
      /** Reason and position of the first refused entries. */
      readonly refusals: readonly string[];
    }
  | {
      readonly kind: 'failed';
      /** The error, and its position. */
      readonly reason: string;
      /** Entries that were imported before the failure. */
      readonly entries: number;
    };

/** What a failed import has written. */
export function printWrittenBefore(entries: number): string {
  if (entries === 0) return 'nothing was written';
  return entries === 1
    ? 'the entry before was written'
    : `the ${entries} entries before were written`;
}

/** Throws only unexpected errors. */
export async function importEntries(
  input: AsyncIterable<InputEntry>,
  region: string,
  target: Pick<ImportTarget, 'put' | 'load'>,
): Promise<ImportOutcome> {
  const limits = target.load === undefined ? WHOLE_BATCH : BULK_LOAD;
  const done = { entries: 0, expired: 0, refused: 0, refusals: [] as string[] };
  let batch = new EntryBatch(limits);
  const flush = async (): Promise<void> => {
    const unexpired = removeExpired(batch.entries, Date.now());
    const { failed, failures } = await write(target, region, unexpired);
    done.entries += unexpired.length - failed;
    done.expired += batch.entries.length - unexpired.length;
    done.refused += failed;
    for (const { index, message } of failures.slice(0, NAMED_FAILURES - done.refusals.length)) {
      done.refusals.push(`${printPosition(unexpired[index]?.position)}${message}`);
    }
    batch = new EntryBatch(limits);
  };
  try {
    for await (const inputEntry of input) {
      // A repeated key overwrites the entry in another batch, because a batch may not contain it
      // twice.
      if (!batch.accepts(inputEntry.entry)) await flush();
      batch.add(inputEntry);
    }
    await flush();
    return { kind: 'imported', ...done };
  } catch (error) {
    return { kind: 'failed', reason: explainEnd(error, batch), entries: done.entries };
  }
}

/** Why an import ended: at an invalid entry, or while `batch` was written. */
function explainEnd(error: unknown, batch: EntryBatch): string {
  if (error instanceof BadEntryError) return `${printPosition(error.position)}${error.message}`;
  const reason = explainFailure(error);
  if (reason === undefined) throw error;
  const doubt = isUnanswered(error) ? ' (whether these were written is unknown)' : '';
  return `${batch.printPositions()}${reason}${doubt}`;
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

/** Printed as the beginning of a sentence. */
function printPosition(position: InputPosition | undefined): string {
  return position === undefined ? '' : `${position.unit} ${position.number}: `;
}

type UnexpiredEntry = WrittenEntry & { readonly position: InputPosition };

/** Removes expired entries; the others get their remaining time to live. */
function removeExpired(entries: readonly InputEntry[], nowMs: number): readonly UnexpiredEntry[] {
  return entries.flatMap(({ entry: { expires, key, value }, position }) => {
    if (expires === undefined) return [{ key, value, position }];
    return expires <= nowMs ? [] : [{ key, value, position, ttlMs: expires - nowMs }];
  });
}

/** The request was sent, and no answer came. */
function isUnanswered(error: unknown): boolean {
  return error instanceof ClientError && error.status === undefined;
}

class EntryBatch {
  readonly entries: InputEntry[] = [];
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

  add(input: InputEntry): void {
    const { key, value } = input.entry;
    this.entries.push(input);
    this.#keys.add(key);
    this.#bytes += value.length;
    this.#keysLength += encodeURIComponent(key).length + 1;
  }

  /** The position of the failure, as the beginning of a sentence. */
  printPositions(): string {
    const first = this.entries[0]?.position;
    const last = this.entries.at(-1)?.position;
    if (first === undefined || last === undefined || first.number === last.number) {
      return printPosition(first);
    }
    const units = first.unit === 'entry' ? 'entries' : `${first.unit}s`;
    return `${units} ${first.number} to ${last.number}: `;
  }
}
