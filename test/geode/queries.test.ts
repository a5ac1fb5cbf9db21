// The recorded queries through the endpoints of the dialect: status, body and order of rows equal those
// of Geode, or the query is in the list of differences.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Answer } from '../http-client.ts';
import type { Service } from '../service.ts';
import { DIFFERENCES } from './differences.ts';
import {
  labelOf,
  RECORDED_QUERIES,
  type RecordedQuery,
  startRecordedGrid,
} from './recorded-queries.ts';
import { isSameError, isSameJson } from './recording.ts';

const GEODE = '/geode/v1';
const JSON_HEADERS = { Accept: 'application/json', 'Content-Type': 'application/json' };

/** Queries that the dialect answers like Geode, unlike gridkeep's own API. */
const AGREES_HERE: readonly string[] = [
  ...['own-0132', 'own-0133', 'own-0402'], // NaN and the infinities
  ...['own-0567', 'own-0576', 'own-0577'], // names of types that Geode does not know
  ...['own-0578', 'own-0582', 'own-0592', 'own-0593'], // and of classes that it does
  'own-0611', // a number sent as a string
  'own-0366', // a name in double quotes that no document has
  'own-0287', // rows of a subquery, which are compared in any order here
];

/** Queries that fail like on Geode, but with our message, because Geode's is a Java exception. */
const OTHER_WORDS: readonly string[] = ['own-0416', 'own-0482', 'own-0591'];

describe('the queries recorded from a real Geode, through its own API', () => {
  let service: Service;

  before(async () => {
    service = await startRecordedGrid();
  });
  after(() => service.stop());

  for (const query of RECORDED_QUERIES) {
    const label = labelOf(query);
    const reason = AGREES_HERE.includes(label) ? undefined : DIFFERENCES.get(label);
    if (OTHER_WORDS.includes(label)) {
      it(`${query.id} fails with another message: ${query.oql}`, async () => {
        const answer = await ask(service, query);
        assert.equal(answer.status, query.geode.status);
        assert.match(answer.text, /^\{"(?:cause":|message" : )"/);
      });
    } else if (reason === undefined) {
      it(`${query.id}: ${query.oql}`, async () => {
        const answer = await ask(service, query);
        assert.ok(agrees(answer, query), `${answer.status} ${answer.text}`);
      });
    } else {
      it(`${query.id} differs, because ${reason.because}: ${query.oql}`, async () => {
        assert.ok(!agrees(await ask(service, query), query));
      });
    }
  }
});

/** Runs a query ad hoc with the text encoded twice; with parameters, as a named query. */
async function ask(service: Service, { oql, params }: RecordedQuery): Promise<Answer> {
  const path = `${GEODE}/queries`;
  if (params.length === 0) {
    const text = encodeURIComponent(encodeURIComponent(oql));
    return await service.sendTo('GET', `${path}/adhoc?q=${text}`, {
      headers: { Accept: 'application/json' },
    });
  }
  const headers = { ...JSON_HEADERS, 'Content-Type': 'text/plain' };
  const created = await service.sendTo('POST', `${path}?id=asked`, { headers, body: oql });
  assert.equal(created.status, 201, created.text);
  const body = JSON.stringify(params);
  const answer = await service.sendTo('POST', `${path}/asked`, { headers: JSON_HEADERS, body });
  const deleted = await service.sendTo('DELETE', `${path}/asked`);
  assert.equal(deleted.status, 200);
  return answer;
}

function agrees({ status, text }: Answer, { geode, oql }: RecordedQuery): boolean {
  if (status !== geode.status) return false;
  if (status !== 200) return text === geode.body || isSameError(geode.body, text);
  return /ORDER BY/i.test(oql)
    ? JSON.stringify(exact(text)) === JSON.stringify(exact(geode.body))
    : isSameJson(JSON.stringify(exact(text)), JSON.stringify(exact(geode.body)));
}

/** Integers beyond 2^53 as texts, so that the comparison loses no digits. */
function exact(json: string): unknown {
  return JSON.parse(json, (_name, value: unknown, context?: { readonly source?: string }) => {
    const source = context?.source ?? '';
    const isLong = typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER;
    return isLong && /^-?\d+$/.test(source) ? source : value;
  });
}
