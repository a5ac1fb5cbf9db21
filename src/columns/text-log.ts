// Texts as UTF-8, each under a number, in a few large buffers: no JavaScript string, nor the
// request body it may be a slice of, is kept alive. A text that replaces another overwrites it if
// it fits.

import { extend } from './arrays.ts';

/** Buffers grow from the first size to the last, so that a few short texts take little memory. */
const FIRST_BYTES = 1 << 10;
const MAX_BYTES = 1 << 20;
const NEWLINE = 0x0a;
const NO_BYTES = new Uint8Array(0);
const CACHE_LINE = 64;
const MAX_PREFETCHED = 1024;

export class TextLog {
  readonly #encoder = new TextEncoder();
  #buffers: Uint8Array[] = [];
  /** The first of these buffers are empty or shared, left from before `clear`. */
  #reusable = 0;
  #bufferBytes = 0;
  /** Used bytes of the last shared buffer. */
  #used = 0;
  #shared = -1;
  /** Position and capacity of each text, by its number. */
  #bufferOf: Uint32Array = new Uint32Array(64);
  #starts: Uint32Array = new Uint32Array(64);
  #rooms: Uint32Array = new Uint32Array(64);

  /** New numbers are consecutive, from 0 on; existing ones are overwritten. */
  set(id: number, text: string): void {
    if (id >= this.#rooms.length) this.#grow(id * 2);
    if (this.#writeOver(id, text)) return;
    const most = text.length * 3;
    if (most > MAX_BYTES >> 2) this.#writeApart(id, text);
    else this.#append(id, text, most);
  }

  /** Forgets all texts, and keeps large buffers for the next ones. */
  clear(): void {
    this.#buffers = this.#buffers.filter(({ length }) => length === MAX_BYTES);
    this.#bufferBytes = this.#buffers.length * MAX_BYTES;
    this.#reusable = this.#buffers.length;
    this.#shared = -1;
    this.#rooms.fill(0);
  }

  /** The buffer that holds a text; a newline follows the text. */
  bufferOf(id: number): Uint8Array {
    return this.#buffers[this.#bufferOf[id] ?? 0] ?? NO_BYTES;
  }

  startOf(id: number): number {
    return this.#starts[id] ?? 0;
  }

  /** Reads a text without using it, as `RowWriter.prefetch` does. */
  prefetch(id: number): number {
    const bytes = this.bufferOf(id);
    const start = this.startOf(id);
    const end = start + Math.min(this.#rooms[id] ?? 0, MAX_PREFETCHED);
    let read = 0;
    for (let at = start; at < end; at += CACHE_LINE) read += bytes[at] ?? 0;
    return read;
  }

  sizeBytes(): number {
    return this.#bufferBytes + this.#rooms.byteLength * 3;
  }

  #writeOver(id: number, text: string): boolean {
    const room = this.#rooms[id] ?? 0;
    if (room === 0 || room < text.length) return false;
    const start = this.startOf(id);
    const buffer = this.bufferOf(id);
    const { read, written } = this.#encoder.encodeInto(text, buffer.subarray(start, start + room));
    buffer[start + written] = NEWLINE;
    return read === text.length;
  }

  #append(id: number, text: string, most: number): void {
    let buffer = this.#buffers[this.#shared];
    if (buffer === undefined || buffer.length - this.#used <= withSlack(most)) {
      this.#shared = this.#nextShared(buffer, most);
      buffer = this.#buffers[this.#shared] ?? NO_BYTES;
      this.#used = 0;
    }
    const { written } = this.#encoder.encodeInto(text, buffer.subarray(this.#used));
    buffer[this.#used + written] = NEWLINE;
    this.#setPosition(id, this.#shared, this.#used, withSlack(written));
    this.#used += withSlack(written) + 1;
  }

  #nextShared(before: Uint8Array | undefined, most: number): number {
    if (this.#shared + 1 < this.#reusable) return this.#shared + 1;
    const capacity = Math.max(before === undefined ? FIRST_BYTES : before.length * 2, most * 2);
    return this.#add(new Uint8Array(Math.min(MAX_BYTES, capacity)));
  }

  /** A long text has a separate buffer, which is dropped when the text grows. */
  #writeApart(id: number, text: string): void {
    const encoded = this.#encoder.encode(text);
    const buffer = new Uint8Array(withSlack(encoded.length) + 1);
    buffer.set(encoded);
    buffer[encoded.length] = NEWLINE;
    const before = this.#bufferOf[id] ?? 0;
    const room = this.#rooms[id] ?? 0;
    const isOwn = before !== this.#shared && this.#buffers[before]?.length === room + 1;
    if (isOwn) {
      this.#bufferBytes += buffer.length - room - 1;
      this.#buffers[before] = buffer;
    }
    this.#setPosition(id, isOwn ? before : this.#add(buffer), 0, buffer.length - 1);
  }

  #add(buffer: Uint8Array): number {
    this.#bufferBytes += buffer.length;
    return this.#buffers.push(buffer) - 1;
  }

  #setPosition(id: number, buffer: number, start: number, room: number): void {
    this.#bufferOf[id] = buffer;
    this.#starts[id] = start;
    this.#rooms[id] = room;
  }

  #grow(size: number): void {
    this.#bufferOf = extend(new Uint32Array(size), this.#bufferOf);
    this.#starts = extend(new Uint32Array(size), this.#starts);
    this.#rooms = extend(new Uint32Array(size), this.#rooms);
  }
}

/**
 * Slack for a text that grows a little with every change; otherwise a frequently written counter
 * would fill the log.
 */
function withSlack(bytes: number): number {
  return bytes + (bytes >> 3) + 8;
}
