// Keys: any Unicode string, through the path and through ?keys=. The key that is
// stored is the key that was sent, or the request is refused.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { json } from '../http-client.ts';
import { onEveryEngine } from '../service.ts';

const CASES = Number(process.env['GRIDKEEP_TEST_KEY_CASES'] ?? 5_000);
const AT_ONCE = 50;

onEveryEngine('Keys', (service, engine) => {
  const share = engine === 'memory' ? 0.5 : 0.5;

  it('stores the key that was sent, by the path or by ?keys=, or answers 400', async () => {
    const region = await service().region();
    const batches = fc.uniqueArray(key(), { minLength: AT_ONCE, maxLength: AT_ONCE });
    await fc.assert(
      fc.asyncProperty(batches, async (keys) => {
        await service().send('DELETE', `/${region}`);
        const expected = new Set<string>();
        await Promise.all(
          keys.map(async (sent, i) => {
            const encoded = encode(sent, i);
            const byPath = i % 2 === 0 && sent.trim() !== 'keys';
            const path = byPath ? `/${region}/${encoded}` : `/${region}?keys=${encoded}`;
            const meant = byPath ? sent.trim() : sent;
            const answer = await service().send('PUT', path, { body: '{"v":1}' });
            if (answer.status === 200) {
              expected.add(meant);
              const location = answer.headers['location'] ?? '';
              const read = await service().sendTo('GET', location.slice(service().origin.length));
              assert.equal(read.text, `{"${region}":[{"v":1}]}`, location);
            } else {
              assert.equal(answer.status, 400);
              const refused =
                meant === '' || meant.includes('\0') || Buffer.byteLength(meant) > 1024;
              assert.ok(refused, `refused ${JSON.stringify(sent)}: ${answer.text}`);
            }
          }),
        );
        const listed = json(await service().get(`/${region}/keys`)) as { keys: string[] };
        assert.deepEqual(listed.keys, [...expected].sort(byCodeUnits));
        assert.equal(
          (await service().send('HEAD', `/${region}`)).headers['resource-count'],
          String(expected.size),
        );
      }),
      { numRuns: Math.ceil((CASES * share) / AT_ONCE) },
    );
  });

  it('keeps composed and decomposed forms of a letter apart', async () => {
    const region = await service().region();
    for (const [i, form] of (['NFC', 'NFD', 'NFKC', 'NFKD'] as const).entries()) {
      const path = `/${region}/${encodeURIComponent('\u00e9\ufb01'.normalize(form))}`;
      await service().send('PUT', path, { body: `{"form":${i}}` });
    }
    const listed = json(await service().get(`/${region}/keys`)) as { keys: string[] };
    assert.equal(listed.keys.length, 4);
  });
});

function byCodeUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Sometimes every byte is escaped: another spelling of the same key. */
function encode(text: string, i: number): string {
  if (i % 3 !== 0) return encodeURIComponent(text);
  return [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
}

function key(): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 4, arbitrary: fc.string({ unit: 'binary', minLength: 1 }) },
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
