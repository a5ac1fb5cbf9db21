// The mark is a file beside the data file. It records the last commit that the store must have. A
// log that was truncated, lost or replaced by an older one looks like a log that ends there; only a
// record outside of the log shows the difference. The mark is written after each answered commit
// and not synced. So it is exact after a killed process. After a power cut it may be older, and
// then requires fewer commits, never too many.
//
//   0  8  letters GRKPMARK
//   8  8  sequence: the last commit that was acknowledged
//  16  8  synced: the last commit that was synced; with durability `always` the same
//  24  4  durability: 0 always, 1 relaxed
//  28  4  frames ┐ of the log, when all of them are in the data file and nothing was committed
//  32  8  salts  ┘ since; else 0
//  40  4  CRC-32 of the 40 bytes before it
//
// Two copies take turns, in different sectors, so one of them is always whole.

import { closeSync, constants, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import { isFull } from './sqlite-errors.ts';
import { syncDirectory } from './store-files.ts';

const LETTERS = 'GRKPMARK';
const RECORD_BYTES = 44;
const CRC_AT = 40;
const COPIES_AT = [0, 4096] as const;

export interface Mark {
  readonly sequence: number;
  readonly synced: number;
  readonly durability: 'always' | 'relaxed';
  /** The log if all its frames are in the data file; absent after a later commit. */
  readonly checkpointed?: CheckpointedLog;
}

export interface CheckpointedLog {
  readonly frames: number;
  readonly salts: bigint;
}

/** The mark of a store; undefined when there is none, or none with a valid CRC. */
export function readMark(file: string): Mark | undefined {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
  const marks = COPIES_AT.map((at) => parseRecord(bytes.subarray(at, at + RECORD_BYTES)));
  return marks.reduce((best, mark) =>
    best !== undefined && (mark === undefined || mark.sequence <= best.sequence) ? best : mark,
  );
}

/** Writes the mark. */
export class StoreMark {
  readonly #file: string;
  readonly #record: Buffer = Buffer.alloc(RECORD_BYTES);
  #descriptor: number | undefined;
  #turn = 0;

  constructor(file: string) {
    this.#file = file;
    this.#record.write(LETTERS, 'latin1');
  }

  /** Writes both copies and syncs them. */
  begin(mark: Mark): void {
    this.write(mark);
    this.write(mark);
    if (this.#descriptor === undefined) return;
    try {
      fsyncSync(this.#descriptor);
      syncDirectory(dirname(this.#file));
    } catch (error) {
      if (!isFull(error)) throw error;
    }
  }

  /** On a full disk the mark stays older than the store, which is allowed. */
  write(mark: Mark): void {
    this.#print(mark);
    try {
      this.#descriptor ??= openSync(this.#file, constants.O_RDWR | constants.O_CREAT, 0o600);
      writeSync(this.#descriptor, this.#record, 0, RECORD_BYTES, COPIES_AT[this.#turn]);
    } catch (error) {
      if (!isFull(error)) throw error;
    }
    this.#turn = 1 - this.#turn;
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  #print({ durability, sequence, checkpointed, synced }: Mark): void {
    const record = this.#record;
    writeSequence(record, 8, sequence);
    writeSequence(record, 16, synced);
    record.writeUInt32LE(durability === 'relaxed' ? 1 : 0, 24);
    record.writeUInt32LE(checkpointed?.frames ?? 0, 28);
    record.writeBigUInt64LE(checkpointed?.salts ?? 0n, 32);
    record.writeUInt32LE(crc32(record.subarray(0, CRC_AT)), CRC_AT);
  }
}

function parseRecord(record: Buffer): Mark | undefined {
  const isWhole =
    record.length === RECORD_BYTES &&
    record.toString('latin1', 0, 8) === LETTERS &&
    record.readUInt32LE(CRC_AT) === crc32(record.subarray(0, CRC_AT));
  if (!isWhole) return undefined;
  const frames = record.readUInt32LE(28);
  return {
    sequence: Number(record.readBigUInt64LE(8)),
    synced: Number(record.readBigUInt64LE(16)),
    durability: record.readUInt32LE(24) === 1 ? 'relaxed' : 'always',
    ...(frames === 0 ? {} : { checkpointed: { frames, salts: record.readBigUInt64LE(32) } }),
  };
}

/** Writes two halves, for a BigInt per commit would cost more. */
function writeSequence(record: Buffer, at: number, sequence: number): void {
  record.writeUInt32LE(sequence >>> 0, at);
  record.writeUInt32LE(Math.floor(sequence / 2 ** 32), at + 4);
}
