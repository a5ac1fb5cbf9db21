// I2, keys: any Unicode string, through the path and through ?keys=. The stored key equals the sent one,
// or the request is refused.

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { anyCharacter } from '../../src/value/testing/any-character.ts';
import { json } from '../http-client.ts';
import { ENGINES, Service } from '../service.ts';
import { checkGenerated, type Family, type Figures, replay, type Work } from './family.ts';

const AT_ONCE = 50;

export const keys: Family = {
  id: 'I2',
  title: 'keys, any Unicode string',
  bar: 'the same key comes back, or 400',
  cases: 5_000,
  benchCases: 200_000,
  run: runKeys,
};

async function runKeys({ cases, onProgress, seed }: Work): Promise<Figures> {
  let done = 0;
  let stored = 0;
  let replayed = 0;
  for (const engine of ENGINES) {
    await using service = await Service.start({ engine });
    const region = await service.region();
    replayed += await replay('I2', async (found: string) => {
      // The index in the batch selects the kind of address and the spelling.
      for (let i = 0; i < 6; i += 1) await checkKeys(service, region, [found], i);
    });
    await checkForms(service);
    const work = {
      cases: cases / ENGINES.length,
      onProgress: (count: number) => onProgress(done + count),
      seed,
      atOnce: AT_ONCE,
    };
    done += await checkGenerated(key(), work, async (batch) => {
      stored += await checkKeys(service, region, [...new Set(batch)], 0);
      service.observations.length = 0;
    });
  }
  return {
    cases: done,
    replayed,
    outcome: `${stored} stored, the rest refused or twice in a batch`,
  };
}

/** Returns how many of the distinct keys were stored; the region must have exactly these. */
async function checkKeys(
  service: Service,
  region: string,
  sent: readonly string[],
  first: number,
): Promise<number> {
  await service.send('DELETE', `/${region}`);
  const stored = await Promise.all(
    sent.map((one, i) => putAndCheck(service, region, one, first + i)),
  );
  const expected = new Set(stored.filter((one) => one !== undefined));
  // The list of keys contains only strings.
  const listed = json(await service.get(`/${region}/keys`)) as { keys: string[] };
  assert.deepEqual(listed.keys, [...expected].sort(byCodeUnits));
  const { headers } = await service.send('HEAD', `/${region}`);
  assert.equal(headers['resource-count'], String(expected.size));
  return expected.size;
}

/** The key of the stored entry; undefined if it was rightly refused. */
async function putAndCheck(
  service: Service,
  region: string,
  sent: string,
  i: number,
): Promise<string | undefined> {
  const encoded = encode(sent, i);
  // Blanks of ASCII around a key in a path are dropped, and other white space is not.
  const trimmed = sent.replaceAll(/^[\t-\r ]+|[\t-\r ]+$/g, '');
  const byPath = i % 2 === 0 && trimmed !== 'keys';
  const path = byPath ? `/${region}/${encoded}` : `/${region}?keys=${encoded}`;
  const meant = byPath ? trimmed : sent;
  const answer = await service.send('PUT', path, { body: '{"v":1}' });
  if (answer.status === 200) {
    const location = answer.headers['location'] ?? '';
    const read = await service.sendTo('GET', location.slice(service.origin.length));
    assert.equal(read.text, `{"${region}":[{"v":1}]}`, location);
    return meant;
  }
  assert.equal(answer.status, 400, `${JSON.stringify(sent)}: ${answer.text}`);
  const isRefused = meant === '' || meant.includes('\0') || Buffer.byteLength(meant) > 1024;
  assert.ok(isRefused, `refused ${JSON.stringify(sent)}: ${answer.text}`);
  return undefined;
}

/** Composed and decomposed forms of a letter are different keys. */
async function checkForms(service: Service): Promise<void> {
  const region = await service.region();
  for (const [i, form] of (['NFC', 'NFD', 'NFKC', 'NFKD'] as const).entries()) {
    const path = `/${region}/${encodeURIComponent('\u00e9\ufb01'.normalize(form))}`;
    await service.send('PUT', path, { body: `{"form":${i}}` });
  }
  // As above.
  const listed = json(await service.get(`/${region}/keys`)) as { keys: string[] };
  assert.equal(listed.keys.length, 4);
}

function byCodeUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Sometimes escapes every byte, which is another spelling of the same key. */
function encode(text: string, i: number): string {
  if (i % 3 !== 0) return encodeURIComponent(text);
  return [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
}

function key(): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 4, arbitrary: fc.string({ unit: anyCharacter, minLength: 1 }) },
    { weight: 3, arbitrary: fc.string({ unit: 'grapheme', minLength: 1 }) },
    { weight: 2, arbitrary: fc.string({ minLength: 1 }) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        ...[
          'keys',
          'queries',
          '.',
          '..',
          ' ',
          '\t',
          ' a',
          'a ',
          ',',
          '/',
          '%',
          '%2C',
          '+',
          '&',
          '=',
        ],
        ...['?', '#', '\\', '"', "'", '__proto__', 'constructor', '\r\n', '\0', '\u2028', '\ufeff'],
        ...[
          '\uffff',
          '\u{10ffff}',
          'x'.repeat(1024),
          'x'.repeat(1025),
          '😀'.repeat(256),
          'é'.repeat(513),
        ],
      ),
    },
  );
}
