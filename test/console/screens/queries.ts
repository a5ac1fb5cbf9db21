// Named queries and running queries in a real browser.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { GridClient } from '../../../src/client/index.ts';
import { ConsoleUnderTest, IN_TURN } from '../open-console.ts';

const SLOW = 'SELECT COUNT(*) FROM /orders a, /orders b, /customers c WHERE a.id + b.id + c.id < 0';

export function testQueries(): void {
  describe('the screens about queries', IN_TURN, () => {
    let console: ConsoleUnderTest;

    before(async () => {
      console = await ConsoleUnderTest.start();
    });

    after(() => console?.[Symbol.asyncDispose]());

    it('run a named query with a form, and count the call', async () => {
      await console.open('queries');
      await console.page.getByRole('link', { name: 'customers-in-city' }).waitFor();
      await console.expectAccessible();
      await console.expectFitsNarrow();
      await console.page.getByLabel('Filter by name or text').fill('customer');
      await console.page.getByRole('link', { name: 'orders-of-customer' }).click();
      const details = console.page.getByRole('region', { name: 'orders-of-customer' });
      await details.getByLabel('$1').fill('1001');
      await details.getByRole('button', { name: 'Run' }).click();
      await console.see(/\d+ rows in/);
      await console.expectAccessible();
      const row = console.page.getByRole('row').filter({ hasText: 'orders-of-customer' });
      await row.getByRole('cell', { name: '1', exact: true }).waitFor();
      assert.deepEqual(console.incidents(), []);
    });

    it('follow a named query, and stop', async () => {
      const items = new GridClient({ url: console.service.url }).region('items');
      const create = {
        id: 'dear-items',
        oql: 'SELECT i.sku AS sku FROM /items i WHERE i.price > $1',
      };
      await new GridClient({ url: console.service.url }).queries.create(create);
      await console.open('queries?id=dear-items');
      const details = console.page.getByRole('region', { name: 'dear-items' });
      await details.getByLabel('$1').fill('100000');
      await details.getByRole('button', { name: 'Live' }).click();
      await console.see('0 rows, 0 changes');
      await items.put('LIVE-2', { sku: 'LIVE-2', price: 200_000 });
      await details.getByRole('cell', { name: 'LIVE-2' }).waitFor();
      await console.see('1 row, 1 change');
      await details.getByRole('button', { name: 'Stop' }).click();
      await details.getByText('stopped', { exact: true }).waitFor();
      await items.remove('LIVE-2');
      await details.getByRole('button', { name: 'Live' }).waitFor();
      await details.getByRole('cell', { name: 'LIVE-2' }).waitFor();
      assert.deepEqual(console.incidents(), []);
    });

    it('break a long name, so that the other columns stay visible', async () => {
      const { queries } = new GridClient({ url: console.service.url });
      const id = 'y'.repeat(120);
      await queries.create({ id, oql: 'SELECT * FROM /items' });
      await console.load('queries');
      await console.page.getByRole('link', { name: id }).waitFor();
      for (const width of [1024, 1280]) await console.expectTablesFit(width);
      await queries.remove(id);
    });

    it('show the chosen query below a long list', async () => {
      const { queries } = new GridClient({ url: console.service.url });
      const ids = Array.from({ length: 30 }, (_, n) => `query-${n}`);
      await Promise.all(ids.map((id) => queries.create({ id, oql: 'SELECT * FROM /items' })));
      await console.open('queries?id=query-7');
      const details = console.page.getByRole('region', { name: 'query-7' });
      const { y = Number.NaN } = (await details.boundingBox()) ?? {};
      assert.ok(y < 600, `${y} pixels below the top`);
      await Promise.all(ids.map((id) => queries.remove(id)));
      await console.button('New query').click();
      await console.see('Ask the grid');
      await console.page.getByRole('link', { name: 'SELECT * FROM /orders LIMIT 20' }).click();
      await console.button('Run').click();
      await console.see('20 rows');
      assert.deepEqual(console.incidents(), []);
    });

    it('report why a call failed, and open the text in the workbench', async () => {
      await console.open('queries?id=orders-of-customer');
      const details = console.page.getByRole('region', { name: 'orders-of-customer' });
      await details.getByRole('link', { name: 'Edit' }).click();
      await console.page.getByRole('tab', { name: 'orders-of-customer' }).waitFor();
      await console.open('queries?id=nothing');
      await console.see('There is no named query nothing.');
      assert.equal(await console.page.getByRole('region', { name: 'nothing' }).count(), 0);
    });

    it('delete a query after confirmation', async () => {
      await console.open('queries?id=orders-with-item');
      await console.button('Delete').click();
      await console.expectAccessible();
      await console.button('Delete the query').click();
      const link = console.page.getByRole('link', { name: 'orders-with-item' });
      await link.waitFor({ state: 'detached' });
      const answer = await fetch(`${console.service.url}/grid-api/v1/queries/orders-with-item`);
      assert.equal(answer.status, 404);
    });

    it('show a running query, cancel it, and list it among the slow ones', async () => {
      await console.open('live');
      await console.see('No query runs now');
      const feeds = console.page.getByRole('region', { name: 'Open feeds' });
      await feeds.getByRole('row', { name: 'Change feeds 0 0' }).waitFor();
      await console.expectAccessible();
      const running = fetch(`${console.service.url}/grid-api/v1/queries/adhoc`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ oql: SLOW }),
      });
      const row = console.page.getByRole('region', { name: 'Running queries' }).getByRole('row');
      await row.filter({ hasText: 'a.id + b.id' }).getByRole('button', { name: 'Cancel' }).click();
      const answer = await running;
      assert.match(await answer.text(), /oql\/cancelled/);
      const slow = console.page.getByRole('region', { name: /Slowest/ });
      await slow.getByText('oql/cancelled').waitFor();
      await console.expectAccessible();
      await console.expectFitsNarrow();
      await console.expectTablesFit(1024);
      assert.deepEqual(console.incidents(), []);
    });
  });
}
