// The schema of a region in a real browser.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ConsoleUnderTest, IN_TURN } from '../open-console.ts';

export function testSchema(): void {
  describe('the schema of a region', IN_TURN, () => {
    let console: ConsoleUnderTest;

    before(async () => {
      console = await ConsoleUnderTest.start();
    });

    after(() => console?.[Symbol.asyncDispose]());

    it('lists the fields, and links a value to its entries', async () => {
      await console.open('regions/orders/schema');
      const row = console.page.getByRole('row').filter({
        has: console.page.getByRole('rowheader', { name: 'status', exact: true }),
      });
      await row.getByText('100 %').waitFor();
      await console.expectAccessible();
      await console.expectFitsNarrow();
      await console.expectTablesFit(1024);
      await row.getByRole('link', { name: 'paid' }).click();
      await console.page.waitForURL(/entries\?where=value\.status/);
      assert.deepEqual(console.incidents(), []);
    });

    it('shows every digit of min and max', async () => {
      await console.open('regions/customers/schema');
      await console.see(/9007199254740993 – /);
      assert.equal(await console.page.getByText('9007199254740992').count(), 0);
    });

    it('reports that the region was destroyed', async () => {
      await fetch(`${console.service.url}/grid-admin/v1/regions/items`, { method: 'DELETE' });
      await console.open('regions/items/schema');
      await console.see('There is no region items');
      assert.equal(await console.page.getByRole('rowheader').count(), 0);
      await console.expectAccessible();
    });
  });
}
