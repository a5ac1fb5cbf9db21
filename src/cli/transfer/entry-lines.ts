// Entries as lines: {"key":"…","value":…}, one a line, the value's text exactly
// as stored.

import { checkJson } from '../../value/json-check.ts';
import { JsonTextError, kindOfJson, splitObject } from '../../value/json-text.ts';
import type { TextEntry } from './grid-access.ts';

/** A line longer than this is not one of ours; it would fill the memory. */
const MAX_LINE_BYTES = 300 * 1024 * 1024;
/** The deepest that the settings allow. */
const MAX_JSON_DEPTH = 1000;
const LINE_FEED = 0x0a;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

export interface Line {
  /** From 1. */
  readonly number: number;
  readonly bytes: Buffer;
}

/** Thrown for a line that holds no entry. */
export class BadLineError extends Error {
  readonly line: number;

  constructor(line: number, reason: string, options?: ErrorOptions) {
    super(reason, options);
    this.name = 'BadLineError';
    this.line = line;
  }
}

function badLine(line: number, reason: string, cause: unknown): BadLineError {
  return new BadLineError(line, reason, { cause });
}

export function printEntryLines(entries: readonly TextEntry[]): string {
  let lines = '';
  for (const { key, value } of entries) {
    lines += `{"key":${JSON.stringify(key)},"value":${value}}\n`;
  }
  return lines;
}

/** Blank lines are left out, but counted. */
export async function* readLines(input: AsyncIterable<Uint8Array>): AsyncGenerator<Line> {
  let number = 0;
  let pieces: Buffer[] = [];
  let length = 0;
  for await (const chunk of input) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let start = 0;
    for (let end = bytes.indexOf(LINE_FEED); end >= 0; end = bytes.indexOf(LINE_FEED, start)) {
      number += 1;
      const line = Buffer.concat([...pieces, bytes.subarray(start, end)]);
      pieces = [];
      length = 0;
      start = end + 1;
      if (!isBlank(line)) yield { number, bytes: line };
    }
    pieces.push(bytes.subarray(start));
    length += bytes.length - start;
    if (length > MAX_LINE_BYTES) throw new BadLineError(number + 1, 'the line is too long');
  }
  const rest = Buffer.concat(pieces);
  if (!isBlank(rest)) yield { number: number + 1, bytes: rest };
}

/** Throws `BadLineError` with the reason. */
export function parseEntryLine({ bytes, number }: Line): TextEntry {
  const members = splitObject(toCompactObject(bytes, number));
  const keyText = members.get('key');
  const value = members.get('value');
  if (keyText === undefined || value === undefined || members.size !== 2) {
    throw new BadLineError(number, 'the line must have exactly the members "key" and "value"');
  }
  if (kindOfJson(keyText) !== 'string') throw new BadLineError(number, 'the key must be a string');
  return { key: JSON.parse(keyText) as string, value }; // a checked string literal
}

function toCompactObject(bytes: Buffer, number: number): string {
  const isMarked = number === 1 && bytes.subarray(0, 3).equals(BYTE_ORDER_MARK);
  const text = isMarked ? bytes.subarray(3) : bytes;
  let compact: string;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(text);
    compact = Buffer.from(checkJson(text, { maxDepth: MAX_JSON_DEPTH })).toString();
  } catch (error) {
    if (error instanceof JsonTextError) {
      throw badLine(number, `${error.message} (at byte ${error.offset + 1})`, error);
    }
    throw badLine(number, 'the line is not valid UTF-8', error);
  }
  if (kindOfJson(compact) !== 'object') throw new BadLineError(number, 'the line is not an object');
  return compact;
}

function isBlank(line: Buffer): boolean {
  return line.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
}
