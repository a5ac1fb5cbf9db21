// Reads SQLite's write-ahead log from the disk before SQLite does. SQLite treats the first invalid
// frame as the end of the log. That is right after a power cut, and wrong where a damaged frame is
// followed by others. https://www.sqlite.org/fileformat2.html#walformat
//
//   header  32 bytes: magic, version, page size, checkpoints, salts (8), checksum (8)
//   frame   24 bytes: page, pages of the store if it ends a commit or 0, salts (8), checksum (8)
//           and the page
//
// The checksum of a frame continues that of the previous frame. The salts change whenever the log
// restarts; frames of earlier generations may follow after the last one.

import { closeSync, openSync, readSync } from 'node:fs';

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const LITTLE_ENDIAN_MAGIC = 0x377f0682;
const BIG_ENDIAN_MAGIC = 0x377f0683;
const FRAMES_PER_READ = 256;

export interface LogState {
  readonly salts: bigint;
  /** Valid frames from the first on. SQLite replays the log up to the last commit among them. */
  readonly soundFrames: number;
  /**
   * Commits of the same generation after the first invalid frame. One may come from a write that a
   * power cut tore. A second one began after the first was synced, so it proves damage.
   */
  readonly commitsAfterBreak: number;
  /** The last frame of the same generation, valid or not; 0 when there is none. */
  readonly lastFrame: number;
}

/** Undefined when there is no log, when its header is invalid, or when it restarts meanwhile. */
export function readLog(file: string): LogState | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(file, 'r');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const header = Buffer.alloc(HEADER_BYTES);
    const isWhole = readSync(descriptor, header, 0, HEADER_BYTES, 0) === HEADER_BYTES;
    const state = isWhole ? readFrames(descriptor, header) : undefined;
    return state?.salts === readSalts(descriptor) ? state : undefined;
  } finally {
    closeSync(descriptor);
  }
}

/** The salts of the log in `descriptor`, which identify its generation. */
export function readSalts(descriptor: number): bigint {
  const header = Buffer.alloc(HEADER_BYTES);
  readSync(descriptor, header, 0, HEADER_BYTES, 0);
  return header.readBigUInt64BE(16);
}

function readFrames(descriptor: number, header: Buffer): LogState | undefined {
  const magic = header.readUInt32BE(0);
  const pageBytes = header.readUInt32BE(8);
  const isPage = pageBytes >= 512 && pageBytes <= 65_536 && (pageBytes & (pageBytes - 1)) === 0;
  if ((magic !== LITTLE_ENDIAN_MAGIC && magic !== BIG_ENDIAN_MAGIC) || !isPage) return undefined;
  const scan = new FrameScan(header, magic === LITTLE_ENDIAN_MAGIC);
  const frameBytes = FRAME_HEADER_BYTES + pageBytes;
  const chunk = Buffer.alloc(frameBytes * FRAMES_PER_READ);
  for (let at = HEADER_BYTES; ; ) {
    const read = readSync(descriptor, chunk, 0, chunk.length, at);
    const whole = read - (read % frameBytes);
    for (let from = 0; from < whole; from += frameBytes) {
      scan.take(chunk.subarray(from, from + frameBytes));
    }
    if (whole < chunk.length) return scan.state();
    at += whole;
  }
}

class FrameScan {
  readonly #isLittleEndian: boolean;
  readonly #salts: bigint;
  /** The computed checksum; from the first invalid frame on, the stated one. */
  #sum: Checksum;
  #isBroken: boolean;
  #frame = 0;
  #soundFrames = 0;
  #commitsAfterBreak = 0;
  #lastFrame = 0;

  constructor(header: Buffer, isLittleEndian: boolean) {
    this.#isLittleEndian = isLittleEndian;
    this.#salts = header.readBigUInt64BE(16);
    this.#sum = addChecksum([0, 0], header.subarray(0, 24), isLittleEndian);
    this.#isBroken = !isSame(this.#sum, readChecksum(header, 24));
  }

  take(frame: Buffer): void {
    this.#frame += 1;
    const stated = readChecksum(frame, 16);
    if (frame.readBigUInt64BE(8) !== this.#salts || frame.readUInt32BE(0) === 0) {
      this.#isBroken = true;
      this.#sum = stated;
      return;
    }
    this.#lastFrame = this.#frame;
    const ofHeader = addChecksum(this.#sum, frame.subarray(0, 8), this.#isLittleEndian);
    const sum = addChecksum(ofHeader, frame.subarray(FRAME_HEADER_BYTES), this.#isLittleEndian);
    const fits = isSame(sum, stated);
    this.#sum = stated;
    if (fits && !this.#isBroken) this.#soundFrames = this.#frame;
    else if (fits && frame.readUInt32BE(4) !== 0) this.#commitsAfterBreak += 1;
    this.#isBroken ||= !fits;
  }

  state(): LogState {
    return {
      salts: this.#salts,
      soundFrames: this.#soundFrames,
      commitsAfterBreak: this.#commitsAfterBreak,
      lastFrame: this.#lastFrame,
    };
  }
}

type Checksum = readonly [number, number];

function addChecksum([first, second]: Checksum, bytes: Buffer, isLittleEndian: boolean): Checksum {
  const words = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let a = first;
  let b = second;
  for (let at = 0; at < bytes.byteLength; at += 8) {
    a = (a + words.getUint32(at, isLittleEndian) + b) >>> 0;
    b = (b + words.getUint32(at + 4, isLittleEndian) + a) >>> 0;
  }
  return [a, b];
}

function readChecksum(bytes: Buffer, at: number): Checksum {
  return [bytes.readUInt32BE(at), bytes.readUInt32BE(at + 4)];
}

function isSame([a, b]: Checksum, [c, d]: Checksum): boolean {
  return a === c && b === d;
}
