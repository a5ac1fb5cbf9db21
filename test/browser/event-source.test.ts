// A browser's EventSource on a change feed: events by name, and reconnecting after a break.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Relay } from '../relay.ts';
import { Service } from '../service.ts';
import { launchBrowser } from './launch-browser.ts';

/** Global variables of the page that the test reads. */
const SEEN = 'globalThis.seen';

test('a page follows changes, and resumes after a lost connection', async () => {
  await using service = await Service.start();
  const region = await service.region();
  await using relay = await Relay.open(() => service.port);
  const browser = await launchBrowser();
  try {
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${relay.port}/docs`);
    await page.evaluate(`(() => {
      ${SEEN} = [];
      const waiting = [];
      globalThis.until = (count) => new Promise((resolve) => {
        waiting.push(() => ${SEEN}.length >= count && resolve());
        waiting.at(-1)();
      });
      const feed = new EventSource('/grid-api/v1/${region}/_changes');
      for (const name of ['put', 'remove', 'clear']) {
        feed.addEventListener(name, ({ data, lastEventId }) => {
          const { key, sequence } = JSON.parse(data);
          ${SEEN}.push([name, key ?? null, lastEventId === String(sequence)]);
          for (const look of waiting) look();
        });
      }
      return new Promise((resolve) => feed.addEventListener('open', () => resolve()));
    })()`);
    await service.put(region, { a: '{"n":1}' });
    await page.evaluate('until(1)');
    // The page reconnects by itself, two seconds later.
    relay.cut();
    await service.put(region, { b: '{"n":2}' });
    await service.send('DELETE', `/${region}/a`);
    await service.send('DELETE', `/${region}`);
    await page.evaluate('until(4)');
    assert.deepEqual(await page.evaluate(SEEN), [
      ['put', 'a', true],
      ['put', 'b', true],
      ['remove', 'a', true],
      ['clear', null, true],
    ]);
  } finally {
    await browser.close();
  }
});
