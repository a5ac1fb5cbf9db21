// A bulk load from any source of operations: streamed as it is produced, with backpressure from the
// service. Over plain HTTP/1.1 browsers cannot send such a body, only a short list; Node can.

import type { Codec } from './codec.ts';

export type BulkItem<Document> = { readonly key: string } & (
  | {
      /** `put` when absent. */
      readonly op?: 'put' | 'create' | 'replace';
      readonly value: Document;
      /** The entry must have this version. */
      readonly ifVersion?: number;
      /** Time to live: seconds, or an ISO 8601 duration; absent: the default of its region. */
      readonly ttl?: number | string;
    }
  | { readonly op: 'remove'; readonly ifVersion?: number }
);

export interface BulkFailure {
  /** Index of the item, from 0. */
  readonly index: number;
  readonly key?: string;
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

export interface BulkSummary {
  readonly succeeded: number;
  readonly failed: number;
  /** The last commit; the latest of the store when nothing was written. */
  readonly sequence: number;
  /** The first 1,000. */
  readonly failures: readonly BulkFailure[];
}

/** Operations as they come, or all at once. */
export type BulkSource<Document> = Iterable<BulkItem<Document>> | AsyncIterable<BulkItem<Document>>;

const CHUNK_CHARACTERS = 64 * 1024;
/** Items that are sent as one text. */
const SHORT_LIST = 10_000;

/** One operation per line: a short list as one text, anything else streamed in larger pieces. */
export function printBulk<Document>(
  source: BulkSource<Document>,
  codec: Codec<Document>,
): string | ReadableStream<Uint8Array> {
  if (Array.isArray(source) && source.length <= SHORT_LIST) {
    // A list of items, as the type of the source says.
    const items = source as readonly BulkItem<Document>[];
    return items.map((item) => `${printItem(item, codec)}\n`).join('');
  }
  const pieces = printPieces(source, codec);
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await pieces.next();
      if (done === true) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    async cancel() {
      await pieces.return(undefined);
    },
  });
}

async function* printPieces<Document>(
  source: BulkSource<Document>,
  codec: Codec<Document>,
): AsyncGenerator<string> {
  let piece = '';
  for await (const item of source) {
    piece += `${printItem(item, codec)}\n`;
    if (piece.length < CHUNK_CHARACTERS) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}

function printItem<Document>(item: BulkItem<Document>, codec: Codec<Document>): string {
  const members = [`"key":${JSON.stringify(item.key)}`];
  if (item.op !== undefined) members.push(`"op":"${item.op}"`);
  // A line break between tokens is white space, as a tab is. Inside a string both are invalid, so
  // the service refuses such an item.
  if ('value' in item) {
    members.push(`"value":${codec.print(item.value).replaceAll(/[\r\n]/g, '\t')}`);
  }
  if (item.ifVersion !== undefined) members.push(`"if-match":${item.ifVersion}`);
  if ('ttl' in item && item.ttl !== undefined) members.push(`"ttl":${JSON.stringify(item.ttl)}`);
  return `{${members.join()}}`;
}
