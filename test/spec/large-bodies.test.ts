// Bodies of megabytes are stored like smaller ones, and other requests are served while they are
// checked.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkJson } from '../../src/value/json-check.ts';
import { API, Service } from '../service.ts';

const ELEMENT = '{"a":1,"b":"xy","c":[1,2]}';
/** Ten times the size from which a body is checked in slices. */
const COMPACT = makeBody(25_000);
const SPACED = withSpaces(COMPACT);
const ATTEMPTS = 6;

function makeBody(elements: number): string {
  return `{"all":[${new Array(elements).fill(ELEMENT).join(',')}]}`;
}

function withSpaces(json: string): string {
  return json.replaceAll(':', ' : ');
}

/** The longest time between two rounds of the event loop during the work. */
async function longestRound(work: Promise<unknown>): Promise<number> {
  let isDone = false;
  const end = work.then(() => {
    isDone = true;
  });
  let longest = 0;
  let last = performance.now();
  while (!isDone) {
    await new Promise((resolve) => setImmediate(resolve));
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  }
  await end;
  return longest;
}

describe('a large body', () => {
  it('is stored without its white space', async () => {
    await using service = await Service.start();
    const region = await service.region();
    const answer = await service.send('PUT', `/${region}/a`, { body: SPACED });
    assert.equal(answer.status, 200);
    assert.ok((await service.stored(region))['a'] === COMPACT);
  });

  it('that is invalid JSON is refused with the position of the mistake', async () => {
    await using service = await Service.start();
    const region = await service.region();
    for (const [body, cause] of [
      [`${SPACED}\n]`, 'Malformed JSON at line 2, column 1: Unexpected text after the JSON value'],
      [
        Buffer.concat([Buffer.from(`\n${COMPACT}`), Buffer.from([0xff])]),
        `Malformed JSON at line 2, column ${COMPACT.length + 1}: Not valid UTF-8`,
      ],
    ] as const) {
      const answer = await service.send('PUT', `/${region}/a`, { body });
      assert.equal(answer.status, 400);
      assert.equal(Object(JSON.parse(answer.text)).cause, cause);
    }
  });

  it('does not block other requests while it is checked', async () => {
    await using service = await Service.start();
    const region = await service.region();
    // The check takes many slices, so that one of them is a small share of it.
    const bytes = Buffer.from(withSpaces(makeBody(150_000)));
    // The best of several: on a busy machine any round may take long.
    let share = Number.POSITIVE_INFINITY;
    for (let attempt = 0; attempt < ATTEMPTS && share > 0.6; attempt += 1) {
      const started = performance.now();
      checkJson(bytes, { maxDepth: 200 });
      const checkMs = performance.now() - started;
      const body = { headers: { 'Content-Type': 'application/json' }, method: 'PUT', body: bytes };
      const roundMs = await longestRound(fetch(`${service.origin}${API}/${region}/a`, body));
      share = Math.min(share, roundMs / checkMs);
    }
    assert.ok(share <= 0.6, `a round took ${share.toFixed(2)} of the time of the whole check`);
  });
});
