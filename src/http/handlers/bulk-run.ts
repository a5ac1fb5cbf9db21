// One bulk load in progress: items are parsed while the previous batch is written, and written in
// order. Its summary is always current, so that an interrupted load can report it.

import type { BulkLoad, EntryOperation } from '../../grid/index.ts';
import { detachBuffer } from '../../value/detach-buffer.ts';
import { RequestError, StoppedError } from '../errors.ts';
import type { BodyItem, ItemSplitter } from '../request/body-items.ts';
import { describeFailure } from '../response/error-response.ts';
import { ReadAhead } from './read-ahead.ts';

export interface BulkRunParts {
  readonly load: BulkLoad;
  readonly pieces: AsyncIterable<Buffer>;
  readonly splitter: ItemSplitter;
  /** Throws when the item is not an operation, or is not permitted. */
  readonly parse: (bytes: Buffer) => EntryOperation | Promise<EntryOperation>;
  /** The failure of an item as the client may see it. */
  readonly redact: (error: unknown) => unknown;
  /** Aborted when the service is stopping. */
  readonly draining: AbortSignal;
  /** Whether the result of each item is requested. */
  readonly hasLines: boolean;
}

export interface BulkSummary {
  readonly succeeded: number;
  readonly failed: number;
  /** The last commit of the load, or of the store when the load made none; null if it ended early without one. */
  readonly sequence: number | null;
}

type Item = {
  readonly index: number;
  readonly line: number | undefined;
  readonly bytes: number;
} & (
  | { readonly operation: EntryOperation; readonly error?: undefined }
  | { readonly error: unknown }
);

/** Each batch is one commit; other writers wait for at most one of them. */
const BATCH_ITEMS = 1000;
const BATCH_BYTES = 1024 * 1024;
/** Batches written concurrently, if their order cannot change. */
const BATCHES_AT_ONCE = 2;
/** Failures that the summary lists, so that its memory is bounded. */
const SHOWN_FAILURES = 1000;

export class BulkRun {
  readonly #parts: BulkRunParts;
  #items = 0;
  #succeeded = 0;
  #failed = 0;
  #sequence: number | null = null;
  readonly #failures: string[] = [];

  constructor(parts: BulkRunParts) {
    this.#parts = parts;
  }

  get summary(): BulkSummary {
    return { succeeded: this.#succeeded, failed: this.#failed, sequence: this.#sequence };
  }

  /** `{"succeeded","failed","sequence","failures"}`. */
  printSummary(): string {
    const members = JSON.stringify(this.summary).slice(1, -1);
    return `{${members},"failures":[${this.#failures.join()}]}`;
  }

  /**
   * Runs the load; yields the results of each batch once it is durable: a JSON text per item if
   * results are requested. Throws `StoppedError` if it is stopped before the end of the body.
   */
  async *run(): AsyncGenerator<readonly string[]> {
    const batches = this.#batches();
    let writing: readonly Promise<readonly string[]>[] = [];
    try {
      let next = requestNext(batches);
      let maxAtOnce = BATCHES_AT_ONCE;
      for (;;) {
        const event = await firstOf(next, writing, maxAtOnce);
        if ('results' in event) {
          writing = writing.slice(1);
          yield event.results;
          continue;
        }
        if (event.batch === undefined) break;
        writing = [...writing, settleLater(this.#write(event.batch))];
        maxAtOnce = event.batch.every(isPlainPut) ? BATCHES_AT_ONCE : 1;
        next = requestNext(batches);
      }
      for (const results of writing) yield await results;
      this.#sequence ??= await this.#parts.load.latestSequence();
    } catch (error) {
      // Batches that are being written count too.
      await Promise.allSettled(writing);
      throw this.#items === 0 ? error : new StoppedError(error, this.summary);
    } finally {
      // A pending read of the body ends with the connection.
      batches.return(undefined).catch(() => undefined);
    }
  }

  async *#batches(): AsyncGenerator<readonly Item[]> {
    let batch: Item[] = [];
    let bytes = 0;
    for await (const items of this.#parsed(() => batch.length > 0)) {
      for (const item of items) {
        batch.push(item);
        bytes += item.bytes;
        if (batch.length < BATCH_ITEMS && bytes < BATCH_BYTES) continue;
        yield batch;
        [batch, bytes] = [[], 0];
      }
      if (items.length > 0 || batch.length === 0) continue;
      yield batch;
      [batch, bytes] = [[], 0];
    }
    if (batch.length > 0) yield batch;
  }

  /** The items of each piece; an empty list when no piece arrives while items are pending. */
  async *#parsed(hasPending: () => boolean): AsyncGenerator<readonly Item[]> {
    using pieces = new ReadAhead(this.#parts.pieces, this.#parts.draining);
    for (;;) {
      const piece = await (hasPending() ? pieces.nextOrIdle() : pieces.next());
      const items = piece === 'idle' ? [] : await this.#parseAll(this.#split(piece));
      // All its items are strings now. Without this, dozens of megabytes would wait for the
      // collector.
      if (piece instanceof Buffer) detachBuffer(piece);
      if (items.length > 0 || piece === 'idle') yield items;
      if (piece === undefined) return;
    }
  }

  async #parseAll(bodyItems: readonly BodyItem[]): Promise<readonly Item[]> {
    const items: Item[] = [];
    for (const item of bodyItems) {
      const parsed = this.#parse(item);
      // Nearly all are parsed synchronously; awaiting each would cost as much as parsing it.
      items.push(parsed instanceof Promise ? await parsed : parsed);
    }
    return items;
  }

  /** The items that end in a piece; without a piece, the rest at the end of the body. */
  #split(piece: Buffer | undefined): readonly BodyItem[] {
    const { splitter } = this.#parts;
    const items: BodyItem[] = [];
    if (piece === undefined) splitter.end((item) => items.push(item));
    else splitter.push(piece, (item) => items.push(item));
    return items;
  }

  #parse(item: BodyItem): Item | Promise<Item> {
    const index = this.#items;
    const { line } = item;
    this.#items += 1;
    if (item.kind === 'failed') return { index, line, bytes: 0, error: item.error };
    const bytes = item.bytes.length;
    try {
      const operation = this.#parts.parse(item.bytes);
      return operation instanceof Promise
        ? operation.then(
            (parsed) => ({ index, line, bytes, operation: parsed }),
            (error: unknown) => ({ index, line, bytes, error }),
          )
        : { index, line, bytes, operation };
    } catch (error) {
      return { index, line, bytes, error };
    }
  }

  async #write(batch: readonly Item[]): Promise<readonly string[]> {
    const writes: EntryOperation[] = [];
    for (const item of batch) if ('operation' in item) writes.push(item.operation);
    const { hasLines, load } = this.#parts;
    const { results, sequence } = await load.write(writes);
    this.#sequence = sequence ?? this.#sequence;
    let written = 0;
    const lines: string[] = [];
    for (const item of batch) {
      if (!('operation' in item)) {
        lines.push(this.#fail(item, item.error));
        continue;
      }
      const result = results[written];
      written += 1;
      if (typeof result !== 'number') lines.push(this.#fail(item, result, item.operation.key));
      else {
        this.#succeeded += 1;
        if (hasLines) lines.push(`{"index":${item.index},"status":200,"version":${result}}`);
      }
    }
    return hasLines ? lines : [];
  }

  #fail({ index, line }: Item, error: unknown, key = keyOf(error)): string {
    this.#failed += 1;
    const text = JSON.stringify({
      index,
      line,
      key,
      ...describeFailure(this.#parts.redact(error)),
    });
    if (this.#failures.length < SHOWN_FAILURES) this.#failures.push(text);
    return text;
  }
}

/** The key of an invalid item, if it can be parsed. */
function keyOf(error: unknown): string | undefined {
  return error instanceof RequestError ? error.details.failed?.key : undefined;
}

/** A write without a condition, so the next batch can start before it is committed. */
function isPlainPut(item: Item): boolean {
  return (
    !('operation' in item) || (item.operation.op === 'put' && item.operation.ifMatch === undefined)
  );
}

/** The next batch, or undefined at the end. */
type NextBatch = Promise<{ readonly batch: readonly Item[] | undefined }>;

function requestNext(batches: AsyncGenerator<readonly Item[]>): NextBatch {
  const next = batches
    .next()
    .then(({ done, value }) => ({ batch: done === true ? undefined : value }));
  return settleLater(next);
}

/** The next batch if another may be written, or the results of the oldest running one. */
async function firstOf(
  next: NextBatch,
  writing: readonly Promise<readonly string[]>[],
  maxAtOnce: number,
): Promise<Awaited<NextBatch> | { readonly results: readonly string[] }> {
  const oldest = writing[0]?.then((results) => ({ results }));
  if (oldest === undefined) return next;
  return writing.length >= maxAtOnce ? oldest : Promise.race([next, oldest]);
}

/** A failed batch is reported in order, when it is awaited. */
function settleLater<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}
