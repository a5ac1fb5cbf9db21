// The rows of an identified query (oql/bind/identify-rows.ts) as texts: the identity of each row,
// and the row as a query result shows it.

import type { IdentifiedQuery } from '../../oql/index.ts';
import { parseJson } from '../../value/json-parse.ts';
import { printJson } from '../../value/json-print.ts';
import { listMembers, memberValue, splitFirstMembers } from '../../value/json-text.ts';
import { numberKey } from '../../value/number.ts';
import { isNumeric, Struct } from '../../value/value.ts';

export interface LiveRow {
  /** JSON: a key, or a list. Unique within a result. */
  readonly id: string;
  /** JSON. */
  readonly row: string;
  /** Kinds of its ORDER BY values, joined by commas; empty where they do not matter. */
  readonly kinds: string;
}

interface RowParts {
  readonly ids: readonly string[];
  readonly kinds: string;
  readonly row: string;
}

/** Reads the rows of one result, or those of one entry, in their order. */
export class RowReader {
  readonly #query: IdentifiedQuery;
  /** How many rows had the same identity so far. */
  readonly #counts = new Map<string, number>();

  constructor(query: IdentifiedQuery) {
    this.#query = query;
  }

  /** A row as the executor prints it. */
  readText(text: string): LiveRow {
    const { id, kinds, row } = this.#identify(this.#splitText(text));
    return { id: detach(id), kinds: detach(kinds), row: detach(row) };
  }

  /** A row as the reference evaluator gives it. */
  readStruct({ names, values }: Struct): LiveRow {
    const { idColumns, kindColumns, shape } = this.#query;
    const printed = values.slice(0, idColumns + kindColumns).map((value) => printJson(value));
    const rest = values.slice(printed.length);
    const row =
      shape === 'bare'
        ? printJson(rest[0] ?? null)
        : printJson(new Struct(names.slice(printed.length), rest));
    return this.#identify({
      ids: printed.slice(0, idColumns),
      kinds: printed.slice(idColumns).join(),
      row,
    });
  }

  #splitText(text: string): RowParts {
    const { idColumns, identity, kindColumns, shape } = this.#query;
    switch (identity) {
      case 'single':
        return { ids: [], kinds: '', row: text };
      case 'content': {
        const ids = shape === 'bare' ? [text] : listMembers(text).map((member) => member.text);
        return { ids, kinds: '', row: text };
      }
      case 'key':
      case 'list': {
        const { rest, texts } = splitFirstMembers(text, idColumns + kindColumns);
        const row = shape === 'bare' ? memberValue(rest) : `{${rest}}`;
        return { ids: texts.slice(0, idColumns), kinds: texts.slice(idColumns).join(), row };
      }
    }
  }

  #identify({ ids: texts, kinds, row }: RowParts): LiveRow {
    const { identity, isNumbered } = this.#query;
    // Keys are unique within a region.
    if (identity === 'key') return { id: texts[0] ?? 'null', row, kinds };
    const ids = texts.map(identityText);
    const base = ids.join();
    const count = this.#counts.get(base) ?? 0;
    this.#counts.set(base, count + 1);
    // Values that print the same may still be two groups, for example null and a missing member.
    const parts = isNumbered || count > 0 ? [...ids, String(count)] : ids;
    return { id: `[${parts.join()}]`, row, kinds };
  }
}

/**
 * Equal numbers give the same text. A group shows the number of its first row, such as 1.0. It
 * remains the same group when a row with 1 becomes the first.
 */
function identityText(text: string): string {
  if (!/^-?\d.*[.eE]/.test(text)) return text;
  const number = parseJson(text);
  const key = isNumeric(number) ? numberKey(number) : text;
  // JSON has no Infinity, but a number may have so large an exponent that it parses as one.
  return key.endsWith('Infinity') ? text : key;
}

/** A copy: a part of a text would keep the whole text in memory. */
function detach(part: string): string {
  return ` ${part}`.slice(1);
}

/** Identities that the rows of one entry may have, in order; endless if rows are numbered. */
export function* entryIds(query: IdentifiedQuery, key: string): Generator<string> {
  const text = JSON.stringify(key);
  if (!query.isNumbered) {
    yield text;
    return;
  }
  for (let number = 0; ; number += 1) yield `[${text},${number}]`;
}
