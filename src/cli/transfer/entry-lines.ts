// Entries as lines: {"key":"…","value":…}, one per line, the value's text exactly as stored. An
// entry that expires has a third member: "expires":"2026-03-01T12:00:00.000Z".

import { kindOfJson, splitObject } from '../../value/json-text.ts';
import { BadEntryError, type InputPosition } from './bad-entry.ts';
import { toCompactJson } from './compact-json.ts';
import { parseExpires, printExpires } from './expires.ts';
import type { TextEntry } from './grid-access.ts';

/** Twice the maximum size of a value, for keys and white space. */
const MAX_LINE_BYTES = 32 * 1024 * 1024;
const LINE_FEED = 0x0a;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

export interface Line {
  /** From 1. */
  readonly number: number;
  readonly bytes: Buffer;
}

export function printEntryLines(entries: readonly TextEntry[]): string {
  let lines = '';
  for (const { expires, key, value } of entries) {
    const end = expires === undefined ? '' : `,"expires":${printExpires(expires)}`;
    lines += `{"key":${JSON.stringify(key)},"value":${value}${end}}\n`;
  }
  return lines;
}

/** Skips blank lines, but counts them. */
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
    if (length > MAX_LINE_BYTES) {
      const reason = `the line has more than ${MAX_LINE_BYTES} bytes, too many for one entry`;
      throw new BadEntryError(reason, { position: positionOf(number + 1) });
    }
  }
  const rest = Buffer.concat(pieces);
  if (!isBlank(rest)) yield { number: number + 1, bytes: rest };
}

/** Throws `BadEntryError` with the reason. */
export function parseEntryLine(line: Line): TextEntry {
  const position = positionOf(line.number);
  const compact = parseLine(line);
  if (kindOfJson(compact) !== 'object')
    throw new BadEntryError('the line is not an object', { position });
  const members = splitObject(compact);
  const keyText = members.get('key');
  const value = members.get('value');
  const expiresText = members.get('expires');
  const size = expiresText === undefined ? 2 : 3;
  if (keyText === undefined || value === undefined || members.size !== size) {
    const reason =
      'the line must have exactly the members "key" and "value", with or without "expires"';
    throw new BadEntryError(reason, { position });
  }
  if (kindOfJson(keyText) !== 'string')
    throw new BadEntryError('the key must be a string', { position });
  const key = JSON.parse(keyText) as string; // a checked string literal
  if (expiresText === undefined) return { key, value };
  const expires = parseExpires(expiresText);
  if (expires === undefined) {
    throw new BadEntryError('"expires" must be a time such as "2026-03-01T12:00:00Z"', {
      position,
    });
  }
  return { key, value, expires };
}

/** The line as compact JSON text. Throws `BadEntryError` with the reason. */
export function parseLine({ bytes, number }: Line): string {
  const isMarked = number === 1 && bytes.subarray(0, 3).equals(BYTE_ORDER_MARK);
  return toCompactJson(isMarked ? bytes.subarray(3) : bytes, positionOf(number));
}

export function positionOf(line: number): InputPosition {
  return { unit: 'line', number: line };
}

function isBlank(line: Buffer): boolean {
  return line.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
}
