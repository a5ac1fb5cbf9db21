// The query workbench in a real browser: writing, running, rows and plans.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Locator } from 'playwright-core';
import { GridClient, texts } from '../../../src/client/index.ts';
import { ConsoleUnderTest, IN_TURN } from '../open-console.ts';

const BY_STATUS =
  'SELECT o.status AS status, COUNT(*) AS n, SUM(o.total) AS total FROM /orders o GROUP BY o.status ORDER BY o.status';

export function testWorkbench(): void {
  describe('the query workbench', IN_TURN, () => {
    let console: ConsoleUnderTest;

    before(async () => {
      console = await ConsoleUnderTest.start();
    });

    after(() => console?.[Symbol.asyncDispose]());

    async function openQuery(text: string): Promise<void> {
      await console.open(`workbench?${new URLSearchParams({ q: text })}`);
      await editor()
        .filter({ hasText: text.slice(0, 20) })
        .waitFor();
    }

    function editor(): Locator {
      return console.page.getByRole('textbox', { name: 'Query' });
    }

    function cells(row: number): Promise<string[]> {
      return console.page
        .locator('.result-table tbody tr')
        .nth(row)
        .locator('td')
        .allTextContents();
    }

    it('runs a query by keyboard alone, and shows every digit', async () => {
      await console.open('workbench');
      await console.tabTo(editor());
      await console.page.keyboard.type(
        'SELECT c.id AS id, c.ledgerNumber AS ledger FROM /customers c ',
      );
      await console.page.keyboard.type('ORDER BY c.id LIMIT 3');
      await console.page.keyboard.press('Control+Enter');
      await console.see('3 rows in');
      assert.deepEqual(await cells(0), ['1001', '9007199254740993']);
      const address = await console.page.evaluate('location.hash');
      assert.match(String(address), /#\/workbench\?q=SELECT/);
      // Tab indents in the editor; after Escape it leaves it.
      await console.page.keyboard.press('Escape');
      await console.tabTo(console.button(/^JSON$/));
      await console.page.keyboard.press('Enter');
      await console.see('"ledger":9007199254740993');
      await console.tabTo(console.page.getByRole('button', { name: 'Table' }));
      await console.page.keyboard.press('Enter');
      await console.page.locator('.result-table').waitFor();
      await console.expectAccessible();
      await console.expectFitsNarrow();
      assert.deepEqual(console.incidents(), []);
    });

    it('shows rows as a sorted table, as JSON and as a chart', async () => {
      await openQuery(BY_STATUS);
      await console.button('Run').click();
      await console.see('5 rows in');
      assert.equal((await cells(0))[0], 'delivered');
      await console.button(/^status$/).click();
      await console.button(/^status/).click();
      await console.page.locator('th[aria-sort="descending"]').waitFor();
      assert.equal((await cells(0))[0], 'shipped');
      await console.button(/^JSON$/).click();
      await console.see('"status":"paid"');
      await console.button('Chart').click();
      await console.page.getByRole('img', { name: 'total by status' }).waitFor();
      await console.page.getByLabel('Figure').selectOption({ label: 'n' });
      await console.page.getByRole('img', { name: 'n by status' }).waitFor();
      await console.expectAccessible();
      assert.deepEqual(console.incidents(), []);
    });

    it('draws the next result too, as wide as the window, and says which rows are left out', async () => {
      await openQuery('SELECT o.total AS total, o.customerId AS customer FROM /orders o');
      await console.button('Run').click();
      await console.button(/^JSON$/).click();
      await console.see('The first 1,000 rows');
      await console.button('Chart').click();
      await console.see('1,500 of 3,000 rows are drawn');
      await console.button('Run').click();
      const picture = console.page.getByRole('img', { name: 'customer by total' });
      await console.page.setViewportSize({ width: 375, height: 700 });
      await console.page.locator('.chart-picture[width^="3"]').waitFor();
      const labels = await picture.locator('text').allTextContents();
      assert.deepEqual(labels.slice(0, 4), ['1,000', '1,200', '1,400', '1,600']);
      assert.equal(new Set(labels).size, labels.length);
      await console.page.setViewportSize({ width: 1280, height: 800 });
    });

    it('completes regions and fields', async () => {
      await console.open('workbench');
      await console.button('New query').click();
      await editor().focus();
      await console.page.keyboard.type('SELECT * FROM /cust');
      // A list that has just opened ignores Enter, to avoid choosing by mistake.
      await console.page.getByRole('option', { name: '/customers' }).click();
      await console.page.keyboard.type(' c WHERE c.address.ci');
      await console.page.getByRole('option', { name: 'city' }).click();
      await editor().filter({ hasText: 'city' }).waitFor();
      const text = await editor().textContent();
      assert.equal(text, 'SELECT * FROM /customers c WHERE c.address.city');
    });

    it('underlines a mistake, and reports it when it is run', async () => {
      await openQuery('SELECT * FROM /orders o WHERE o.total == 5');
      await console.page.locator('.cm-lintRange-error').waitFor();
      await console.button('Run').click();
      await console.page.getByRole('alert').getByText('oql/syntax-error').waitFor();
      await console.see('Equality is written with one sign');
      assert.deepEqual(console.incidents(), []);
    });

    it('asks for the parameters of a query', async () => {
      await openQuery(
        'SELECT o.id AS id FROM /orders o WHERE o.customerId = :customer ORDER BY o.id',
      );
      assert.equal(await console.button('Run').isDisabled(), true);
      await console.page.getByLabel(':customer').fill('1001');
      await console.button('Run').click();
      await console.see(/\d+ rows in/);
      assert.ok(Number((await cells(0))[0]) > 0);
      await console.expectAccessible();
    });

    it('draws the plan, and creates the index that would help', async () => {
      await openQuery("SELECT o.id FROM /orders o WHERE o.status = 'returned' AND o.total > 5");
      await console.button('Analyze').click();
      await console.see('It ran in');
      await console.expectAccessible();
      await console.button('Create this index and run again').click();
      await console.see('index orders-by-status used');
      await console.page.getByRole('figure', { name: 'Before' }).getByText('scan').waitFor();
      await console.page.getByRole('figure', { name: 'After' }).getByText('index-lookup').waitFor();
      assert.deepEqual(console.incidents(), []);
    });

    it('compares a plan with a pinned one', async () => {
      await openQuery("SELECT o.id FROM /orders o WHERE o.status = 'paid'");
      await console.button('Analyze').click();
      await console.button('Pin to compare').click();
      await console.button('New query').last().click();
      await editor().click();
      await console.page.keyboard.insertText('SELECT COUNT(*) FROM /customers c');
      await console.page.keyboard.press('Escape');
      await console.button('Explain').click();
      const pinned = console.page.getByRole('figure', { name: 'Pinned plan' });
      await pinned.getByText("o.status = 'paid'").first().waitFor();
      await console.page.getByRole('figure', { name: 'This plan' }).getByText('count').waitFor();
      await console.expectAccessible();
      await console.expectFitsNarrow();
      await console.button('Unpin').click();
      await console.page.getByRole('figure', { name: 'Plan', exact: true }).waitFor();
      assert.deepEqual(console.incidents(), []);
    });

    it('saves a named query, and asks before it replaces another', async () => {
      await openQuery(BY_STATUS);
      await console.button('Save').click();
      await console.page.getByRole('textbox', { name: 'Name' }).fill('by-status');
      await console.page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
      await console.see('Saved as by-status');
      await openQuery('SELECT COUNT(*) FROM /items i');
      await console.button('Save').click();
      await console.page.getByRole('textbox', { name: 'Name' }).fill('by-status');
      await console.page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
      await console.see('There is a named query by-status already');
      await console.expectAccessible();
      await console.button('Overwrite').click();
      await console.page.getByRole('dialog').waitFor({ state: 'detached' });
      const answer = await fetch(`${console.service.url}/grid-api/v1/queries/by-status`);
      assert.match(await answer.text(), /COUNT\(\*\) FROM \/items/);
    });

    it('remembers past queries, and copies one as a command', async () => {
      await openQuery('SELECT COUNT(*) FROM /orders o');
      await console.button('Run').click();
      await console.see('1 row in');
      await console.button('History').click();
      const dialog = console.page.getByRole('dialog');
      await dialog.getByText('SELECT COUNT(*) FROM /orders o').waitFor();
      await console.expectAccessible();
      await console.page.keyboard.press('Escape');
      await console.button('Copy as').click();
      await dialog.getByText(/^curl 'http/).waitFor();
      await dialog.getByRole('button', { name: 'TypeScript' }).click();
      await dialog.getByText(/new GridClient/).waitFor();
      await console.expectAccessible();
      await console.page.keyboard.press('Escape');
    });

    it('cancels a long query', async () => {
      await openQuery(
        'SELECT COUNT(*) FROM /orders a, /orders b, /customers c WHERE a.id + b.id + c.id < 0',
      );
      await console.button('Run').click();
      await console.button('Cancel').click();
      await console.see('Cancelled.');
      assert.deepEqual(console.incidents(), []);
    });

    it('follows a query: rows change in place, also after a restart of the service', async () => {
      const client = new GridClient({ url: console.service.url });
      const items = client.region('items', texts);
      const put = (price: string): Promise<unknown> =>
        items.put('LIVE-1', `{"sku":"LIVE-1","price":${price}}`);
      const row = (text: string): Locator =>
        console.page.locator('.result-table tbody tr', { hasText: text });
      await openQuery('SELECT i.sku AS sku, i.price AS price FROM /items i WHERE i.price > 100000');
      await console.button('Live').click();
      await console.see('0 rows, 0 changes');
      await put('200000.00');
      await row('200000.00').waitFor();
      await console.see('1 row, 1 change');
      await put('9007199254740993');
      await row('9007199254740993').waitFor();
      await console.see('1 row, 2 changes');
      await row('9007199254740993').and(console.page.locator('tr:not(.fresh)')).waitFor();
      await console.expectAccessible();
      await console.expectFitsNarrow();
      assert.deepEqual(console.incidents(), []);
      await console.service.stop();
      await console.service.startAgain();
      await put('300000.50');
      await row('300000.50').waitFor();
      await items.remove('LIVE-1');
      await console.see(/0 rows, \d+ changes/);
      await console.button('Stop').click();
      await console.page.getByText('stopped', { exact: true }).waitFor();
      await console.button('Live').waitFor();
      // The browser reports connections that broke.
      console.incidents();
    });

    it('reports why a query cannot be followed', async () => {
      await openQuery('SELECT * FROM /nothing n');
      await console.button('Live').click();
      const alert = console.page.getByRole('alert');
      await alert.waitFor();
      assert.match((await alert.textContent()) ?? '', /nothing/);
      // The browser reports the answer 400.
      console.incidents();
    });
  });
}
