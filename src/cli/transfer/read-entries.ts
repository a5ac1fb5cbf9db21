// The entries of an input, whatever its form: lines of JSON, a JSON document, or
// comma-separated values. Everything is read as it arrives, with flat memory.

import { readElements } from '../../client/index.ts';
import { BadEntryError, type Place } from './bad-entry.ts';
import { toCompactJson } from './compact-json.ts';
import { type Cell, readCsvRows } from './csv-rows.ts';
import { parseEntryLine, parseLine, placeOf, readLines } from './entry-lines.ts';
import type { TextEntry } from './grid-access.ts';
import { toKeyedEntry } from './keyed-document.ts';

export const INPUT_FORMATS = ['ndjson', 'json', 'csv', 'tsv'] as const;
export type InputFormat = (typeof INPUT_FORMATS)[number];

export interface PlacedEntry {
  readonly entry: TextEntry;
  readonly place: Place;
}

export interface InputForm {
  readonly format: InputFormat;
  /** Which member, or column, is the key; undefined for the rule of the format. */
  readonly keyMember: string | undefined;
}

/** By the ending of a file's name, before `.gz` or `.zst`; lines where it says nothing. */
export function findInputFormat(file: string): InputFormat {
  const ending = /\.([a-z]+)(?:\.(?:gz|zst))?$/i.exec(file)?.[1]?.toLowerCase();
  return INPUT_FORMATS.find((format) => format === ending) ?? 'ndjson';
}

/** Throws `BadEntryError` at the first part that holds no entry. */
export function readEntries(
  input: AsyncIterable<Uint8Array>,
  { format, keyMember }: InputForm,
): AsyncGenerator<PlacedEntry> {
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

/** `{"key","value"}` a line; with a key member, any document a line. */
async function* readEntryLines(
  input: AsyncIterable<Uint8Array>,
  keyMember: string | undefined,
): AsyncGenerator<PlacedEntry> {
  for await (const line of readLines(input)) {
    const place = placeOf(line.number);
    const entry =
      keyMember === undefined
        ? parseEntryLine(line)
        : requireEntry(toKeyedEntry(parseLine(line), keyMember), place);
    yield { entry, place };
  }
}

/** An array of documents, or an object whose members are the entries by key. */
async function* readJsonEntries(
  input: AsyncIterable<Uint8Array>,
  keyMember: string | undefined,
): AsyncGenerator<PlacedEntry> {
  let number = 0;
  const cutShort = (cause?: unknown): Error =>
    new BadEntryError('the input is no JSON array or object, or ends before it is whole', {
      place: { unit: 'element', number: number + 1 },
      cause,
    });
  for await (const elements of readElements(input, 1, cutShort)) {
    for (const element of elements) {
      number += 1;
      const place: Place = { unit: 'element', number };
      const entry = element.startsWith('"')
        ? requireEntry(parseMember(element, place), place)
        : requireEntry(toKeyedEntry(toCompactJson(Buffer.from(element), place), keyMember), place);
      yield { entry, place };
    }
  }
}

/** `"key": {…}`, which is an object once braces stand around it. */
function parseMember(element: string, place: Place): TextEntry | string {
  const compact = toCompactJson(Buffer.from(`{${element}}`), place);
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
): AsyncGenerator<PlacedEntry> {
  let names: readonly string[] | undefined;
  for await (const { cells, place } of readCsvRows(input, separator)) {
    if (names === undefined) {
      names = requireNames(cells, place);
      continue;
    }
    const document = toCompactJson(Buffer.from(printRow(names, cells, place)), place);
    yield { entry: requireEntry(toKeyedEntry(document, keyMember), place), place };
  }
}

function requireNames(cells: readonly Cell[], place: Place): readonly string[] {
  const names = cells.map(({ text }) => text.trim());
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) throw new BadEntryError(`two columns are called ${twice}`, { place });
  if (names.includes('')) throw new BadEntryError('a column has no name', { place });
  return names;
}

function printRow(names: readonly string[], cells: readonly Cell[], place: Place): string {
  if (cells.length !== names.length) {
    const reason = `it has ${cells.length} cells, but the header has ${names.length}`;
    throw new BadEntryError(reason, { place });
  }
  const members = cells.flatMap((cell, i) => {
    const value = printCell(cell);
    return value === undefined ? [] : [`${JSON.stringify(names[i])}:${value}`];
  });
  return `{${members.join(',')}}`;
}

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * JSON text of a cell; undefined for an empty one, which leaves its member out.
 * Outside quotes a number keeps its digits, and `true` and `false` are truth
 * values. `007` is no JSON number, and stays a text.
 */
function printCell({ isQuoted, text }: Cell): string | undefined {
  if (isQuoted) return JSON.stringify(text);
  const plain = text.trim();
  if (plain === '') return undefined;
  return plain === 'true' || plain === 'false' || JSON_NUMBER.test(plain)
    ? plain
    : JSON.stringify(text);
}

function requireEntry(entry: TextEntry | string, place: Place): TextEntry {
  if (typeof entry === 'string') throw new BadEntryError(entry, { place });
  return entry;
}
