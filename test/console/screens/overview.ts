// The overview in a real browser: live charts, regions, tips with actions, and an outage of the service.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { GridClient } from '../../../src/client/index.ts';
import { ConsoleUnderTest, IN_TURN } from '../open-console.ts';

export function testOverview(): void {
  describe('the overview', IN_TURN, () => {
    let console: ConsoleUnderTest;
    let client: GridClient;

    before(async () => {
      console = await ConsoleUnderTest.start();
      client = new GridClient({ url: console.service.url });
    });

    after(() => console?.[Symbol.asyncDispose]());

    it('shows figures and the writes to a region', async () => {
      await console.open('overview');
      await console.page.locator('.figure-value', { hasText: /\d/ }).first().waitFor();
      const row = console.page.getByRole('row', { name: /items/ });
      assert.match((await row.textContent()) ?? '', /200/);
      // Some writes before each reading of the metrics, every other second, until the page shows them.
      const isSeen = row.locator('td:nth-child(4)', { hasText: /[1-9]/ }).waitFor();
      const seen = isSeen.then(() => true);
      while (!(await settled(seen))) {
        const isRead = console.page.waitForResponse('**/metrics').catch(() => undefined);
        for (let i = 0; i < 20; i++) await client.region('items').put(`new-${i % 10}`, { n: i });
        await Promise.race([isRead, seen]);
      }
      await console.page.locator('.uplot canvas').first().waitFor();
      await console.expectAccessible();
      await console.expectFitsNarrow();
      assert.deepEqual(console.incidents(), []);
    });

    it('creates the index that a tip suggests', async () => {
      await console.open('overview');
      await console.see('An index on address.city would speed up customers-in-city');
      await console.page
        .locator('.tip', { hasText: 'customers-in-city' })
        .getByRole('button', { name: 'Create this index' })
        .click();
      await console.see('Index customers-by-address-city was created.');
      await console.page
        .getByText('would speed up customers-in-city')
        .waitFor({ state: 'detached' });
      const regions = await client.describeRegions();
      const customers = regions.find(({ name }) => name === 'customers');
      assert.equal(customers?.indexes[0]?.expression, 'c.address.city');
    });

    it('names an unused index, and a query near its limit', async () => {
      await console.page.route('**/regions/orders/indexes', async (route) => {
        const answer = await route.fetch();
        const text = await answer.text();
        const long = text.replaceAll(/"counted-since":"\d+/g, '"counted-since":"2020');
        await route.fulfill({ response: answer, body: long });
      });
      await console.page.route('**/queries/statistics', (route) =>
        route.fulfill({
          json: {
            queries: [
              {
                'query-id': 'orders-of-customer',
                calls: 3,
                failures: 0,
                'median-ms': 10_000,
                'p99-ms': 20_000,
                'last-run': '2025-01-01T00:00:00Z',
              },
            ],
            slowest: [],
            server: '',
          },
        }),
      );
      await console.open('overview');
      await console.see('orders-of-customer comes near the time limit');
      await console.see(/took 20 s of the 30 s that a query may take/);
      const tip = console.page.locator('.tip', { hasText: 'Index orders-by-customer was never' });
      await tip.getByRole('button', { name: 'Drop this index' }).click();
      await console.expectAccessible();
      await console.page.getByRole('dialog').getByRole('button', { name: 'Drop' }).click();
      await tip.waitFor({ state: 'detached' });
      const left = await client.listIndexes('orders');
      assert.ok(!left.some(({ name }) => name === 'orders-by-customer'));
      await console.page.unrouteAll();
      assert.deepEqual(console.incidents(), []);
    });

    it('begins with a region, and reports why one is refused', async () => {
      await console.page.route('**/grid-admin/v1/regions', async (route) => {
        const isList = route.request().method() === 'GET';
        await (isList ? route.fulfill({ json: { regions: [] } }) : route.continue());
      });
      await console.open('overview');
      await console.see('There are no regions yet');
      await console.button('Create a region').click();
      await console.page.getByLabel('Name').fill('bad name');
      await console.expectAccessible();
      await console.page.keyboard.press('Enter');
      await console.page.getByRole('alert').waitFor();
      await console.page.unrouteAll();
      await console.page.getByLabel('Name').fill('returns');
      await console.page.keyboard.press('Enter');
      await console.see('Region returns was created.');
      assert.equal(await client.region('returns').count(), 0);
    });

    it('offers no changes in read-only mode', async () => {
      await console.open('overview');
      await console.button('Create a region').waitFor();
      await console.page.getByLabel('Read-only').check();
      await console.button('Create a region').waitFor({ state: 'detached' });
      assert.equal(await console.button('Create this index').count(), 0);
      await console.page.getByLabel('Read-only').uncheck();
      await console.button('Create a region').waitFor();
    });

    it('draws its charts in a browser without a locale', async () => {
      const page = await console.page.context().newPage();
      await page.addInitScript(() => {
        const get = () => 'en-US@posix';
        Object.defineProperty(Navigator.prototype, 'language', { get, configurable: true });
      });
      await page.goto(`${console.service.url}/console/#/overview`);
      await page.locator('.uplot canvas').first().waitFor();
      await page.close();
      assert.deepEqual(console.incidents(), []);
    });

    it('reports an outage of the service, and continues after it', async () => {
      await console.open('overview');
      await console.page.locator('.figure-value', { hasText: /\d/ }).first().waitFor();
      await console.service.stop();
      await console.see('The service does not answer.');
      await console.page.evaluate("location.hash = '#/live'");
      await console.see('This screen could not be loaded.');
      await console.service.startAgain();
      await console.page.getByText('The service does not answer.').waitFor({ state: 'detached' });
      await console.button('Reload the page').click();
      await console.see('Running queries');
      await console.page.evaluate("location.hash = '#/overview'");
      await console.page.getByText('The service does not answer.').waitFor({ state: 'detached' });
      const row = console.page.getByRole('row', { name: /orders/ });
      await row.waitFor();
      await console.page.getByText('Try again').waitFor({ state: 'detached' });
      assert.match((await row.textContent()) ?? '', /\d/);
    });
  });
}

async function settled(promise: Promise<boolean>): Promise<boolean> {
  return Promise.race([promise, new Promise<false>((resolve) => setImmediate(resolve, false))]);
}
