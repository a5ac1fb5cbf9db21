// Reads the entries of an input: lines of JSON, a JSON document, or comma-separated values. Input
// is streamed, with constant memory.

import { readElements } from '../../client/index.ts';
import { printAmount } from '../../value/print-amount.ts';
import { BadEntryError, type InputPosition } from './bad-entry.ts';
import { toCompactJson } from './compact-json.ts';
import { type Cell, readCsvRows } from './csv-rows.ts';
import { parseEntryLine, parseLine, positionOf, readLines } from './entry-lines.ts';
import type { TextEntry } from './grid-access.ts';
import { toKeyedEntry } from './keyed-document.ts';

export const INPUT_FORMATS = ['ndjson', 'json', 'csv', 'tsv'] as const;
export type InputFormat = (typeof INPUT_FORMATS)[number];

export interface InputEntry {
  readonly entry: TextEntry;
  readonly position: InputPosition;
}

export interface InputForm {
  readonly format: InputFormat;
  /** The member or column that is the key; undefined for the default of the format. */
  readonly keyMember: string | undefined;
}

/** By the extension of a file, before `.gz` or `.zst`; lines by default. */
export function findInputFormat(file: string): InputFormat {
  const ending = /\.([a-z]+)(?:\.(?:gz|zst))?$/i.exec(file)?.[1]?.toLowerCase();
  return INPUT_FORMATS.find((format) => format === ending) ?? 'ndjson';
}

/** Throws `BadEntryError` at the first invalid entry. */
export function readEntries(
  input: AsyncIterable<Uint8Array>,
  { format, keyMember }: InputForm,
): AsyncGenerator<InputEntry> {
  switch (format) {
    case 'ndjson':
      return readEntryLines(input, keyMember);
    case 'json':
      return readJsonEntries(input, keyMember);
    case 'csv':
      return readCsvEntries(input, ',', keyMember);
    case 'tsv':
      return readCsvEntries(input, '\t', keyMember);
  }
}

/** `{"key","value"}` per line; with a key member, any document per line. */
async function* readEntryLines(
  input: AsyncIterable<Uint8Array>,
  keyMember: string | undefined,
): AsyncGenerator<InputEntry> {
  for await (const line of readLines(input)) {
    const position = positionOf(line.number);
    const entry =
      keyMember === undefined
        ? parseEntryLine(line)
        : requireEntry(toKeyedEntry(parseLine(line), keyMember), position);
    yield { entry, position };
  }
}

/** An array of documents, or an object whose members are the entries by key. */
async function* readJsonEntries(
  input: AsyncIterable<Uint8Array>,
  keyMember: string | undefined,
): AsyncGenerator<InputEntry> {
  let number = 0;
  const cutShort = (cause?: unknown): Error =>
    new BadEntryError('the input is not a JSON array or object, or it ends too early', {
      position: { unit: 'element', number: number + 1 },
      cause,
    });
  for await (const elements of readElements(input, 1, cutShort)) {
    for (const element of elements) {
      number += 1;
      const position: InputPosition = { unit: 'element', number };
      const entry = element.startsWith('"')
        ? requireEntry(parseMember(element, position), position)
        : requireEntry(
            toKeyedEntry(toCompactJson(Buffer.from(element), position), keyMember),
            position,
          );
      yield { entry, position };
    }
  }
}

/** `"key": {…}`, which braces turn into an object. */
function parseMember(element: string, position: InputPosition): TextEntry | string {
  const compact = toCompactJson(Buffer.from(`{${element}}`), position);
  const end = /^\{"(?:[^"\\]|\\.)*"/.exec(compact)?.[0].length;
  if (end === undefined) return 'it is not an object';
  const key = JSON.parse(compact.slice(1, end)) as string; // a checked string literal
  return { key, value: compact.slice(end + 1, -1) };
}

/** The first row names the members. */
async function* readCsvEntries(
  input: AsyncIterable<Uint8Array>,
  separator: string,
  keyMember: string | undefined,
): AsyncGenerator<InputEntry> {
  let names: readonly string[] | undefined;
  for await (const { cells, position } of readCsvRows(input, separator)) {
    if (names === undefined) {
      names = requireNames(cells, position);
      continue;
    }
    const document = toCompactJson(Buffer.from(printRow(names, cells, position)), position);
    yield { entry: requireEntry(toKeyedEntry(document, keyMember), position), position };
  }
}

function requireNames(cells: readonly Cell[], position: InputPosition): readonly string[] {
  const names = cells.map(({ text }) => text.trim());
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) throw new BadEntryError(`two columns are called ${twice}`, { position });
  if (names.includes('')) throw new BadEntryError('a column has no name', { position });
  return names;
}

function printRow(
  names: readonly string[],
  cells: readonly Cell[],
  position: InputPosition,
): string {
  if (cells.length !== names.length) {
    const reason = `it has ${printAmount(cells.length, 'cell')}, but the header has ${names.length}`;
    throw new BadEntryError(reason, { position });
  }
  const members = cells.flatMap((cell, i) => {
    const value = printCell(cell);
    return value === undefined ? [] : [`${JSON.stringify(names[i])}:${value}`];
  });
  return `{${members.join(',')}}`;
}

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * JSON text of a cell; undefined for an empty one, which omits its member. Outside quotes a number
 * keeps its digits, and `true` and `false` are booleans. `007` is not a JSON number, and stays a
 * text.
 */
function printCell({ isQuoted, text }: Cell): string | undefined {
  if (isQuoted) return JSON.stringify(text);
  const plain = text.trim();
  if (plain === '') return undefined;
  return plain === 'true' || plain === 'false' || JSON_NUMBER.test(plain)
    ? plain
    : JSON.stringify(text);
}

function requireEntry(entry: TextEntry | string, position: InputPosition): TextEntry {
  if (typeof entry === 'string') throw new BadEntryError(entry, { position });
  return entry;
}
