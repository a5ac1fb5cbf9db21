// The lines of the corpus and their tagged values.

import { readFileSync } from 'node:fs';
import { createSet } from '../../src/value/compare.ts';
import { parseJson } from '../../src/value/json-parse.ts';
import {
  Char,
  Document,
  Double,
  isList,
  type List,
  Temporal,
  UNDEFINED,
  type Value,
} from '../../src/value/value.ts';

export interface CorpusLine {
  readonly id: string;
  readonly oql: string;
  readonly params: List;
  readonly isValid: boolean;
  readonly isPortable: boolean;
  readonly dataSet: string | undefined;
  readonly expect: Document | undefined;
}

/** Every line. Numbers keep their form, so 5 and 5.0 stay different parameters. */
export function readCorpus(): readonly CorpusLine[] {
  const text = readFileSync(new URL('oql-corpus.jsonl', import.meta.url), 'utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => toLine(requireDocument(parseJson(line))));
}

function toLine({ members }: Document): CorpusLine {
  const params = members.get('params') ?? [];
  const expect = members.get('expect');
  return {
    id: requireText(members.get('id')),
    oql: requireText(members.get('oql')),
    params: isList(params) ? params.map(untag) : [],
    isValid: members.get('valid') === true,
    isPortable: members.get('portable') === true,
    dataSet: members.has('dataset') ? requireText(members.get('dataset')) : undefined,
    expect: expect instanceof Document ? expect : undefined,
  };
}

/** Replaces tagged values (`{"$date": …}`) by their meaning, at any depth. */
export function untag(value: Value): Value {
  if (isList(value)) return value.map(untag);
  if (!(value instanceof Document)) return value;
  const [first] = value.members;
  if (first === undefined) return value;
  const [tag, content] = first;
  switch (tag) {
    case '$undefined':
      return UNDEFINED;
    case '$nan':
      return new Double(Number.NaN);
    case '$char':
      return new Char(requireText(content));
    case '$date':
      // Without a zone, so in local time.
      return new Temporal('instant', new Date(requireText(content)).getTime());
    case '$set':
      return createSet(isList(content) ? content.map(untag) : []);
    default:
      return new Document(new Map([...value.members].map(([name, each]) => [name, untag(each)])));
  }
}

export function requireDocument(value: Value | undefined): Document {
  if (value instanceof Document) return value;
  throw new Error('the corpus holds something else where an object should be');
}

export function requireText(value: Value | undefined): string {
  if (typeof value === 'string') return value;
  throw new Error('the corpus holds something else where a string should be');
}
