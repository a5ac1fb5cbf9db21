import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { TextLog } from './text-log.ts';

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

function read(log: TextLog, id: number): string {
  const bytes = log.bufferOf(id);
  const start = log.startOf(id);
  return decoder.decode(bytes.subarray(start, bytes.indexOf(0x0a, start)));
}

describe('a log of texts', () => {
  it('has the last text of each id, short or long', () => {
    const text = fc
      .tuple(fc.constantFrom('a', 'é', '\u{1f600}', '\uff01'), fc.constantFrom(0, 1, 300, 200_000))
      .map(([unit, length]) => `"${unit.repeat(length)}"`);
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(20), text), { maxLength: 40 }), (writes) => {
        const log = new TextLog();
        const expected = new Map<number, string>();
        for (const [number, value] of writes) {
          const id = Math.min(number, expected.size);
          log.set(id, value);
          expected.set(id, value);
        }
        for (const [id, value] of expected) assert.ok(read(log, id) === value);
      }),
    );
  });

  it('does not grow with texts that are overwritten again and again', () => {
    const log = new TextLog();
    for (let n = 0; n < 200_000; n += 1) log.set(n % 10, `{"n":${n}}`);
    for (let n = 0; n < 200; n += 1) log.set(10, `"${'x'.repeat(200_000 + 1000 * n)}"`);
    assert.ok(log.sizeBytes() < 1e6, `${log.sizeBytes()} bytes`);
  });

  it('has only new texts after it was cleared, in the same memory', () => {
    const log = new TextLog();
    const sizes: number[] = [];
    for (let round = 0; round < 4; round += 1) {
      for (let id = 0; id < 10_000; id += 1) log.set(id, `"${round} ${id} ${'x'.repeat(300)}"`);
      log.set(10_000, `"${round} ${'y'.repeat(400_000)}"`);
      for (const id of [0, 1, 2_500, 9_999]) {
        assert.equal(read(log, id), `"${round} ${id} ${'x'.repeat(300)}"`);
      }
      assert.equal(read(log, 10_000), `"${round} ${'y'.repeat(400_000)}"`);
      sizes.push(log.sizeBytes());
      log.clear();
    }
    assert.equal(sizes[3], sizes[1]);
  });
});
