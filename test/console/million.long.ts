// A region of a million entries scrolls from its first key to its last, with constant memory of the
// page.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { GridClient } from '../../src/client/index.ts';
import { ConsoleUnderTest } from './open-console.ts';

const ENTRIES = 1_000_000;
const BATCH = 1000;
const STEPS = 300;
const MOST_GROWTH_BYTES = 15_000_000;

describe('a region of a million entries', () => {
  let console: ConsoleUnderTest;

  before(async () => {
    console = await ConsoleUnderTest.start({ settings: { 'store.engine': 'memory' } });
    const client = new GridClient({ url: console.service.url });
    await client.createRegion({
      name: 'many',
      type: 'REPLICATE',
      keyConstraint: null,
      valueConstraint: null,
    });
    const many = client.region('many');
    for (let start = 0; start < ENTRIES; start += BATCH) {
      const entries = Array.from({ length: BATCH }, (_, i) => ({
        key: keyOf(start + i),
        value: { n: start + i },
      }));
      await many.putMany(entries);
    }
  });

  after(() => console?.[Symbol.asyncDispose]());

  const row = (key: string) => console.page.getByRole('option', { name: key });

  it('scrolls from the first key to the last with constant memory', async () => {
    await console.open('regions/many/entries');
    await row(keyOf(0)).waitFor();
    const list = console.page.getByRole('listbox');
    let early = 0;
    for (let step = 1; step <= STEPS; step++) {
      await console.page.evaluate(
        `{ const list = document.querySelector('[role=listbox]');
           list.scrollTo(0, (list.scrollHeight - list.clientHeight) * ${step / STEPS}); }`,
      );
      // Several rows are visible, so one near the position is among them.
      await row(keyOf(Math.floor(((ENTRIES - 12) * step) / STEPS) + 5)).waitFor();
      if (step === STEPS / 10) early = await heapBytes();
    }
    await row(keyOf(ENTRIES - 1)).waitFor();
    const late = await heapBytes();
    assert.ok(late - early < MOST_GROWTH_BYTES, `${early} bytes grew to ${late}`);
    await list.focus();
    await console.page.keyboard.press('Home');
    await row(keyOf(0)).waitFor();
    await console.page.keyboard.press('End');
    await row(keyOf(ENTRIES - 1)).waitFor();
    assert.deepEqual(console.incidents(), []);
  });

  async function heapBytes(): Promise<number> {
    const session = await console.page.context().newCDPSession(console.page);
    await session.send('HeapProfiler.collectGarbage');
    const { usedSize } = await session.send('Runtime.getHeapUsage');
    await session.detach();
    return usedSize;
  }
});

function keyOf(index: number): string {
  return `k${String(index).padStart(7, '0')}`;
}
