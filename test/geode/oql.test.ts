// Every recorded query has the same result as on a real Geode, or is in the list of differences with a
// reason. Rows are compared as JSON values: in any order without ORDER BY, numbers by value, and
// Geode's printed UNDEFINED as null.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import type { Service } from '../service.ts';
import { DIFFERENCES, REASON_ROWS } from './differences.ts';
import {
  labelOf,
  RECORDED_QUERIES,
  type RecordedQuery,
  startRecordedGrid,
} from './recorded-queries.ts';

describe('the queries recorded from a real Geode', () => {
  let service: Service;

  before(async () => {
    service = await startRecordedGrid();
  });
  after(() => service.stop());

  it('are complete, and every listed difference is one of them', () => {
    assert.equal(RECORDED_QUERIES.length, 399);
    const labels = new Set(RECORDED_QUERIES.map(labelOf));
    for (const label of DIFFERENCES.keys()) assert.ok(labels.has(label), `no line ${label}`);
  });

  it('differ for reasons that the documentation states', () => {
    const docs = readFileSync(new URL('../../docs/oql.md', import.meta.url), 'utf8');
    for (const row of REASON_ROWS) {
      assert.ok(docs.includes(`| ${row} |`), `docs/oql.md has no row "${row}"`);
    }
  });

  for (const query of RECORDED_QUERIES) {
    const reason = DIFFERENCES.get(labelOf(query));
    if (reason === undefined) {
      it(`${query.id}: ${query.oql}`, async () => {
        assert.deepEqual(await ask(query), recorded(query));
      });
    } else {
      it(`${query.id} differs, because ${reason.because}: ${query.oql}`, async () => {
        assert.notDeepEqual(await ask(query), recorded(query));
      });
    }
  }

  /** Rows, or the failure. Where Geode reports a Java exception, any failure is accepted. */
  async function ask(query: RecordedQuery): Promise<unknown> {
    const body = JSON.stringify({ oql: query.oql, params: query.params });
    const headers = { 'Content-Type': 'application/json' };
    const answer = await service.send('POST', '/queries/adhoc', { headers, body });
    if (answer.status === 200) return rowsOf(answer.text, query.oql);
    const hasPhrase = failureOf(query.geode.body) !== undefined;
    return { failure: hasPhrase ? JSON.parse(answer.text).failure : undefined };
  }
});

function recorded({ oql, geode }: RecordedQuery): unknown {
  return geode.status === 200 ? rowsOf(geode.body, oql) : { failure: failureOf(geode.body) };
}

/** Maps Geode's messages to the failures of the specification. */
const FAILURES: readonly (readonly [text: string, failure: string])[] = [
  ['Bind parameter is not of the expected type!', 'type-mismatch'],
  ['Syntax error in query', 'invalid-syntax'],
  ['not present in group by clause', 'invalid-syntax'],
  ['not present in projected fields', 'invalid-syntax'],
  ['Name in the query cannot be resolved!', 'name-resolution'],
  ['Data referenced in from clause is not available', 'data-unavailable'],
];

function failureOf(body: string): string | undefined {
  return FAILURES.find(([text]) => body.includes(text))?.[1];
}

/** The rows, sorted by their text if the query has no ORDER BY. */
function rowsOf(body: string, oql: string): unknown {
  const rows: unknown = JSON.parse(body, normalise);
  assert.ok(Array.isArray(rows), body);
  return /ORDER BY/i.test(oql) ? rows : rows.map((row) => JSON.stringify(row)).sort();
}

/** Numbers as texts with all digits, and null for Geode's UNDEFINED. */
function normalise(
  _: string,
  value: unknown,
  { source }: { readonly source?: string } = {},
): unknown {
  if (typeof value === 'number')
    return Number.isSafeInteger(value) ? String(value) : numberText(value, source);
  const isUndefined = typeof value === 'object' && value !== null && 'dsfid' in value;
  return isUndefined ? null : value;
}

/** An integer beyond 2^53 as written, any other number by its value. */
function numberText(value: number, source = ''): string {
  return /^-?\d+$/.test(source) ? source : String(value);
}
