// The indexes of a region in a real browser.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { GridClient } from '../../../src/client/index.ts';
import { ConsoleUnderTest, IN_TURN } from '../open-console.ts';

export function testIndexes(): void {
  describe('the indexes of a region', IN_TURN, () => {
    let console: ConsoleUnderTest;
    let client: GridClient;

    before(async () => {
      console = await ConsoleUnderTest.start();
      client = new GridClient({ url: console.service.url });
    });

    after(() => console?.[Symbol.asyncDispose]());

    it('shows the expression, number of values and users of each index', async () => {
      await console.open('regions/orders/indexes');
      const row = console.page.getByRole('row', { name: /orders-by-customer/ });
      await row.waitFor();
      const text = (await row.textContent()) ?? '';
      assert.match(text, /nonesince/);
      assert.match(text, /range.*o\.customerId.*\/orders o.*\d+.*orders-of-customer/);
      const user = row.getByRole('link', { name: 'orders-of-customer' });
      assert.equal(await user.getAttribute('href'), '#/queries?id=orders-of-customer');
      await console.expectAccessible();
      await console.expectFitsNarrow();
      for (const width of [375, 1024]) await console.expectTablesFit(width);
      assert.deepEqual(console.incidents(), []);
    });

    it('counts the queries that use an index, but not those of the console', async () => {
      await console.open('regions/orders/indexes');
      const row = console.page.getByRole('row', { name: /orders-by-customer/ });
      await row.waitFor();
      await client.queries.named('orders-of-customer', [1001]).rows();
      await console.open('regions/orders/indexes');
      await row.getByRole('cell', { name: /^1\s*last / }).waitFor();
      const [index] = await client.listIndexes('orders');
      assert.equal(index?.uses, 1);
    });

    it('creates an index, reports why one is refused, and drops it', async () => {
      await console.open('regions/items/indexes');
      await console.see('There are no indexes yet');
      await console.button('Create an index').click();
      await console.page.getByRole('textbox', { name: 'Value' }).fill('price >');
      await console.page.keyboard.press('Enter');
      await console.page.getByRole('alert').waitFor();
      await console.expectAccessible();
      await console.page.getByRole('textbox', { name: 'Value' }).fill('price');
      await console.page.keyboard.press('Enter');
      await console.page.getByRole('row', { name: /items-by-price/ }).waitFor();
      const made = await client.listIndexes('items');
      assert.deepEqual(made[0], {
        name: 'items-by-price',
        kind: 'range',
        expression: 'e.price',
        from: '/items e',
        uses: 0,
        countedSince: made[0]?.countedSince,
      });
      await console.button('Drop items-by-price').click();
      await console.see(/No named query uses it/);
      await console.page.getByRole('dialog').getByRole('button', { name: 'Drop' }).click();
      await console.see('There are no indexes yet');
      assert.deepEqual(await client.listIndexes('items'), []);
      assert.deepEqual(console.incidents(), []);
    });

    it('creates a unique index, or reports the duplicate value', async () => {
      await console.open('regions/orders/indexes');
      await console.button('Create an index').click();
      await console.page.getByRole('textbox', { name: 'Value' }).fill('status');
      await console.page.getByLabel(/^Unique/).check();
      await console.page.keyboard.press('Enter');
      await console.page.getByRole('alert').waitFor();
      await console.page.getByRole('textbox', { name: 'Value' }).fill('id');
      await console.page.keyboard.press('Enter');
      const row = console.page.getByRole('row', { name: /orders-by-id/ });
      await row.getByText('unique').waitFor();
      assert.deepEqual(console.incidents(), []);
    });
  });
}
