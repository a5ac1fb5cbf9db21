// Splits a body into JSON texts as its pieces arrive: lines (NDJSON), or the elements of one array.
// An item that is too long or not JSON fails on its own. At most one item is buffered.

import { badBody, bodyTooLarge, type RequestError } from '../errors.ts';

export type BodyItem =
  | { readonly kind: 'text'; readonly bytes: Buffer; readonly line?: number }
  | { readonly kind: 'failed'; readonly error: RequestError; readonly line?: number };

export interface ItemSplitter {
  /** Calls back with every item that is complete. */
  push(piece: Buffer, onItem: (item: BodyItem) => void): void;
  /** Call it at the end of the body; throws when that is within an array. */
  end(onItem: (item: BodyItem) => void): void;
}

const NEWLINE = 0x0a;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;

/** The beginning of an item that is not complete yet. */
class PartialItem {
  readonly #maxBytes: number;
  #pieces: Buffer[] = [];
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get isEmpty(): boolean {
    return this.#bytes === 0;
  }

  add(piece: Buffer): void {
    this.#bytes += piece.length;
    // A copy: the memory of the piece is freed when its complete items are parsed.
    if (this.#bytes <= this.#maxBytes) this.#pieces.push(Buffer.from(piece));
    // An item over the limit is only counted.
    else this.#pieces = [];
  }

  /** The whole item, which ends with this piece. */
  take(last: Buffer, line?: number): BodyItem {
    const position = line === undefined ? {} : { line };
    const bytes = this.#bytes + last.length;
    const pieces = this.#pieces;
    this.#pieces = [];
    this.#bytes = 0;
    if (bytes > this.#maxBytes) {
      return { kind: 'failed', error: bodyTooLarge(this.#maxBytes, 'An item'), ...position };
    }
    return {
      kind: 'text',
      bytes: pieces.length === 0 ? last : Buffer.concat([...pieces, last]),
      ...position,
    };
  }
}

/** Skips empty lines, but counts them. */
export class LineSplitter implements ItemSplitter {
  readonly #partial: PartialItem;
  #line = 1;

  constructor(maxBytes: number) {
    this.#partial = new PartialItem(maxBytes);
  }

  push(piece: Buffer, onItem: (item: BodyItem) => void): void {
    let start = 0;
    for (;;) {
      const end = piece.indexOf(NEWLINE, start);
      if (end < 0) break;
      this.#finish(piece.subarray(start, end), onItem);
      start = end + 1;
    }
    if (start < piece.length) this.#partial.add(piece.subarray(start));
  }

  end(onItem: (item: BodyItem) => void): void {
    this.#finish(Buffer.alloc(0), onItem);
  }

  #finish(last: Buffer, onItem: (item: BodyItem) => void): void {
    const item = this.#partial.take(last, this.#line);
    this.#line += 1;
    if (item.kind === 'failed' || !isBlank(item.bytes, 0, item.bytes.length)) onItem(item);
  }
}

/**
 * The elements of an array. Recognizes only brackets, commas and strings; the caller checks the
 * JSON of elements.
 */
export class ElementSplitter implements ItemSplitter {
  readonly #partial: PartialItem;
  #state: 'before' | 'inside' | 'after' = 'before';
  #depth = 0;
  #inString = false;
  #isEscaped = false;
  #hasElement = false;
  #hasComma = false;

  constructor(maxBytes: number) {
    this.#partial = new PartialItem(maxBytes);
  }

  push(piece: Buffer, onItem: (item: BodyItem) => void): void {
    let start = 0;
    for (let at = 0; at < piece.length; at += 1) {
      const byte = piece[at] ?? 0;
      if (this.#state !== 'inside') {
        this.#skip(byte);
        start = at + 1;
      } else if (this.#inString) this.#readString(byte);
      else if (byte === QUOTE) {
        this.#inString = true;
        this.#hasElement = true;
      } else if (this.#depth === 0 && (byte === COMMA || byte === CLOSE_ARRAY)) {
        this.#finish(piece.subarray(start, at), byte === COMMA, onItem);
        start = at + 1;
      } else this.#readPlain(byte);
    }
    if (this.#state === 'inside' && start < piece.length) this.#partial.add(piece.subarray(start));
  }

  end(): void {
    if (this.#state === 'before') throw badBody('The body must be a JSON array');
    if (this.#state === 'inside') throw badBody('The array does not end');
  }

  #skip(byte: number): void {
    if (isBlankByte(byte)) return;
    if (this.#state === 'after') throw badBody('Nothing may follow the array');
    if (byte !== OPEN_ARRAY) throw badBody('The body must be a JSON array');
    this.#state = 'inside';
  }

  #readString(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === BACKSLASH) this.#isEscaped = true;
    else if (byte === QUOTE) this.#inString = false;
  }

  #readPlain(byte: number): void {
    if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) this.#depth += 1;
    else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
      this.#depth = Math.max(0, this.#depth - 1);
    }
    if (!isBlankByte(byte)) this.#hasElement = true;
  }

  #finish(last: Buffer, isComma: boolean, onItem: (item: BodyItem) => void): void {
    const item = this.#partial.take(last);
    // Only an empty array has nothing between its brackets.
    if (this.#hasElement || isComma || this.#hasComma) onItem(item);
    this.#hasElement = false;
    this.#hasComma = isComma;
    if (!isComma) this.#state = 'after';
  }
}

function isBlankByte(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function isBlank(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) if (!isBlankByte(bytes[at] ?? 0)) return false;
  return true;
}
