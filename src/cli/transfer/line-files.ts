// Files of lines, plain or compressed by their extension, or standard input and output. A file gets
// its name when it is complete.

import { createReadStream, createWriteStream, rmSync, statSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Duplex, PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip, createZstdCompress, createZstdDecompress } from 'node:zlib';
import { endOnSignal } from '../end-on-signal.ts';
import type { Terminal } from '../terminal.ts';

/** Writes all lines; settles when they are on disk. */
export async function writeLineFile(file: string, lines: AsyncIterable<string>): Promise<void> {
  const unfinished = `${file}.${process.pid}.unfinished`;
  const remove = (): void => rmSync(unfinished, { force: true });
  process.once('exit', remove);
  const restoreSignals = endOnSignal();
  try {
    const output = createWriteStream(unfinished, { mode: 0o600, flush: true });
    await pipeline(Readable.from(lines), createCompressor(file), output);
    await rename(unfinished, file);
    await using directory = await open(dirname(file), 'r');
    await directory.sync();
  } finally {
    restoreSignals();
    process.off('exit', remove);
    remove();
  }
}

export async function writeLinePipe(
  terminal: Terminal,
  lines: AsyncIterable<string>,
): Promise<void> {
  await pipeline(Readable.from(lines), terminal.pipes?.output ?? process.stdout, { end: false });
}

/** Calls `onBytes` with the number of bytes read from disk. */
export function readLineFile(
  file: string,
  onBytes: (progress: { readonly done: number; readonly total: number }) => void,
): AsyncIterable<Uint8Array> {
  const total = statSync(file).size;
  let done = 0;
  const input = createReadStream(file);
  input.on('data', (chunk) => {
    done += chunk.length;
    onBytes({ done, total });
  });
  // Errors of the input reach the reader of the output.
  const output = createDecompressor(file);
  pipeline(input, output).catch((error: unknown) =>
    output.destroy(error instanceof Error ? error : new Error(String(error))),
  );
  return output;
}

export function readLinePipe(terminal: Terminal): AsyncIterable<Uint8Array> {
  return terminal.pipes?.input ?? process.stdin;
}

function createCompressor(file: string): Duplex {
  if (file.endsWith('.gz')) return createGzip();
  return file.endsWith('.zst') ? createZstdCompress() : new PassThrough();
}

function createDecompressor(file: string): Duplex {
  if (file.endsWith('.gz')) return createGunzip();
  return file.endsWith('.zst') ? createZstdDecompress() : new PassThrough();
}
