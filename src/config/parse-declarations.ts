// The `regions:` and `queries:` parts of the config file. Shapes and words are
// checked here; whether a name or an expression is legal is the grid's to say,
// when it creates them.

import type { DeclaredIndex, DeclaredQuery, DeclaredRegion } from './config.ts';
import { suggestName } from './suggest-name.ts';

type Complain = (problem: string) => void;

const REGION_TYPES = ['REPLICATE', 'PARTITION', 'EMPTY'] as const;
const INDEX_KINDS = ['range', 'hash', 'key'] as const;
const REGION_MEMBERS = ['name', 'type', 'key-constraint', 'value-constraint', 'indexes'];
const INDEX_MEMBERS = ['name', 'expression', 'from', 'kind'];

export function parseRegions(plain: unknown, complain: Complain): readonly DeclaredRegion[] {
  const regions = parseEach(plain, 'regions', complain, parseRegion);
  reportRepeats('region', regions, complain);
  return regions;
}

/** A map from id to query text. */
export function parseQueries(plain: unknown, complain: Complain): readonly DeclaredQuery[] {
  if (Array.isArray(plain) && plain.length === 0) return [];
  if (!isRecord(plain)) {
    complain('queries must be a map from query id to OQL text');
    return [];
  }
  return Object.entries(plain).flatMap(([id, oql]) => {
    if (typeof oql === 'string' && oql.trim() !== '') return [{ id, oql: oql.trim() }];
    complain(`queries.${id} must be an OQL text`);
    return [];
  });
}

function parseRegion(plain: Fields, where: string, complain: Complain): DeclaredRegion | undefined {
  const fields = new FieldReader(plain, where, REGION_MEMBERS, complain);
  const name = fields.text('name');
  const type = fields.word('type', REGION_TYPES, 'REPLICATE');
  const keyConstraint = fields.optionalText('key-constraint') ?? null;
  const valueConstraint = fields.optionalText('value-constraint') ?? null;
  const indexes = parseEach(plain['indexes'] ?? [], `${where}.indexes`, complain, parseIndex);
  reportRepeats('index', indexes, complain);
  return name === undefined ? undefined : { name, type, keyConstraint, valueConstraint, indexes };
}

function parseIndex(plain: Fields, where: string, complain: Complain): DeclaredIndex | undefined {
  const fields = new FieldReader(plain, where, INDEX_MEMBERS, complain);
  const name = fields.text('name');
  const expression = fields.text('expression');
  const from = fields.optionalText('from');
  const kind = fields.word('kind', INDEX_KINDS, 'range');
  if (name === undefined || expression === undefined) return undefined;
  return { name, expression, kind, ...(from === undefined ? {} : { from }) };
}

type Fields = Readonly<Record<string, unknown>>;

function isRecord(plain: unknown): plain is Fields {
  return typeof plain === 'object' && plain !== null && !Array.isArray(plain);
}

function parseEach<T>(
  plain: unknown,
  where: string,
  complain: Complain,
  parse: (fields: Fields, where: string, complain: Complain) => T | undefined,
): readonly T[] {
  if (!Array.isArray(plain)) {
    complain(`${where} must be a list`);
    return [];
  }
  return plain.flatMap((item: unknown, index) => {
    const place = `${where}[${index}]`;
    if (isRecord(item)) return parse(item, place, complain) ?? [];
    complain(`${place} must be a map`);
    return [];
  });
}

function reportRepeats(
  noun: string,
  things: readonly { readonly name: string }[],
  complain: Complain,
): void {
  const seen = new Set<string>();
  for (const { name } of things) {
    if (seen.has(name)) complain(`${noun} ${name} is declared twice`);
    seen.add(name);
  }
}

/** Reads the members of one declaration and complains about what does not belong. */
class FieldReader {
  readonly #plain: Fields;
  readonly #where: string;
  readonly #complain: Complain;

  constructor(plain: Fields, where: string, members: readonly string[], complain: Complain) {
    this.#plain = plain;
    this.#where = where;
    this.#complain = complain;
    for (const member of Object.keys(plain)) {
      if (!members.includes(member)) {
        complain(`unknown setting ${where}.${member}${suggestName(member, members)}`);
      }
    }
  }

  text(member: string): string | undefined {
    const text = this.optionalText(member);
    if (text === undefined && (this.#plain[member] ?? null) === null) {
      this.#complain(`${this.#where}.${member} is missing`);
    }
    return text;
  }

  optionalText(member: string): string | undefined {
    const plain = this.#plain[member] ?? undefined;
    if (plain === undefined || (typeof plain === 'string' && plain !== '')) return plain;
    this.#complain(`${this.#where}.${member} must be a text`);
    return undefined;
  }

  word<W extends string>(member: string, words: readonly W[], fallback: W): W {
    const plain = this.#plain[member] ?? fallback;
    const found = words.find((word) => word === plain);
    if (found === undefined) {
      this.#complain(`${this.#where}.${member} must be one of ${words.join(', ')}`);
    }
    return found ?? fallback;
  }
}
