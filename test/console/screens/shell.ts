// The frame of the console in a real browser: navigation, command bar, preferences, and an outage of the
// service.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { GridClient } from '../../../src/client/index.ts';
import { ConsoleUnderTest, IN_TURN } from '../open-console.ts';

export function testShell(): void {
  describe('the shell of the console', IN_TURN, () => {
    let console: ConsoleUnderTest;

    before(async () => {
      console = await ConsoleUnderTest.start();
    });

    after(() => console?.[Symbol.asyncDispose]());

    it('opens from the address of the service, and shows the regions', async () => {
      await console.page.goto(`${console.service.url}/`);
      await console.page.getByRole('heading', { name: 'Overview' }).waitFor();
      assert.equal(new URL(console.page.url()).pathname, '/console/');
      await console.page
        .getByRole('link', { name: /orders/ })
        .first()
        .waitFor();
      assert.deepEqual(console.incidents(), []);
    });

    it('is accessible, and fits a narrow window', async () => {
      await console.open('overview');
      await console.page
        .getByRole('link', { name: /customers/ })
        .first()
        .waitFor();
      await console.expectAccessible();
      await console.expectFitsNarrow();
      assert.deepEqual(console.incidents(), []);
    });

    it('opens the menu of a narrow window by keyboard, and closes it on Escape', async () => {
      await console.page.setViewportSize({ width: 375, height: 700 });
      await console.open('overview');
      await console.button('Menu').focus();
      await console.page.keyboard.press('Enter');
      const link = console.page.getByRole('link', { name: 'API' });
      await link.waitFor({ state: 'visible' });
      await console.page.keyboard.press('Escape');
      await link.waitFor({ state: 'hidden' });
      assert.match(console.page.url(), /#\/overview$/);
      assert.deepEqual(console.incidents(), []);
      await console.page.setViewportSize({ width: 1280, height: 800 });
    });

    it('scrolls the side bar to the current region', async () => {
      await console.page.setViewportSize({ width: 1280, height: 360 });
      await console.open('regions/orders/schema');
      const link = console.page.locator('.nav-link[aria-current=page]', { hasText: 'orders' });
      await link.waitFor();
      const isShown = await link.evaluate((element) => {
        const list = element.closest('.sidebar-lists');
        const [inner, outer] = [element, list].map((each) => each?.getBoundingClientRect());
        const isLong = list !== null && list.scrollHeight > list.clientHeight;
        return isLong && inner && outer && inner.bottom <= outer.bottom + 1;
      });
      assert.equal(isShown, true);
      await console.page.setViewportSize({ width: 1280, height: 800 });
    });

    it('finds commands by a few letters, and runs them by keyboard', async () => {
      await console.open('overview');
      await console.see('customers');
      await console.page.keyboard.press('Control+k');
      const input = console.page.getByRole('combobox');
      await input.waitFor();
      await console.expectAccessible();
      await input.fill('dark th');
      await console.page.keyboard.press('Enter');
      await console.page.locator('html[data-theme="dark"]').waitFor({ state: 'attached' });
      await console.page.reload();
      await console.see('customers');
      await console.page.locator('html[data-theme="dark"]').waitFor({ state: 'attached' });
      await console.page.keyboard.press('Control+k');
      await input.fill('theme system');
      await console.page.keyboard.press('Enter');
      await console.page.locator('html[data-theme="light"]').waitFor({ state: 'attached' });
      await input.waitFor({ state: 'detached' });
      await console.page.keyboard.press('Control+k');
      await input.fill('with-item');
      await console.page.getByRole('option', { name: 'orders-with-item' }).waitFor();
      await input.fill('no such thing');
      await console.see('Nothing matches.');
      assert.ok(await console.page.evaluate(openAgainAtOnce), 'the closed list closed the new one');
      await console.page.keyboard.press('Escape');
      await input.waitFor({ state: 'detached' });
    });

    it('reports that a screen or a region does not exist', async () => {
      await console.open('nothing');
      await console.see('There is no such screen');
      await console.open('regions/nothing');
      await console.see('There is no region nothing');
      await console.expectAccessible();
      assert.deepEqual(console.incidents(), []);
    });

    it('is loaded by the address of any screen', async () => {
      const screens = [
        ['workbench?q=SELECT+1', 'SELECT 1'],
        ['queries?id=orders-of-customer', 'Named queries'],
        ['live', 'No query runs now'],
        ['transfer?region=orders', 'Import / export'],
        ['regions/orders/entries?key=100001', '1152921504606846977'],
        ['regions/orders/schema', 'customerId'],
        ['regions/orders/changes', 'Changes'],
        ['regions/orders/indexes', 'Indexes'],
      ] as const;
      for (const [address, text] of screens) {
        await console.load(address);
        await console.page.getByRole('main').getByText(text).first().waitFor();
      }
      assert.deepEqual(console.incidents(), []);
    });

    it('lists the regions that another client created and destroyed meanwhile', async () => {
      const client = new GridClient({ url: console.service.url });
      const link = console.page.getByRole('navigation').getByRole('link', { name: /newcomer/ });
      await console.open('overview');
      await client.createRegion({
        name: 'newcomer',
        type: 'REPLICATE',
        keyConstraint: null,
        valueConstraint: null,
      });
      await console.open('regions/newcomer/entries');
      await console.see('This region is empty');
      await link.waitFor();
      await client.destroyRegion('newcomer');
      await console.open('regions/orders/schema');
      await link.waitFor({ state: 'detached' });
      assert.deepEqual(console.incidents(), []);
    });

    it('clears and destroys a region once its name is typed', async () => {
      const client = new GridClient({ url: console.service.url });
      await client.createRegion({
        name: 'doomed',
        type: 'REPLICATE',
        keyConstraint: null,
        valueConstraint: null,
      });
      await client.region('doomed').put('a', { n: 1 });
      await console.open('regions/doomed');
      await console.button('Clear…').click();
      const dialog = console.page.getByRole('dialog');
      const clear = dialog.getByRole('button', { name: 'Clear' });
      await console.see(/This removes 1 entry of region doomed/);
      assert.ok(await clear.isDisabled());
      await dialog.getByLabel('Type doomed to confirm').fill('doome');
      assert.ok(await clear.isDisabled());
      await dialog.getByLabel('Type doomed to confirm').fill('doomed');
      await console.expectAccessible();
      await clear.click();
      await console.see('This region is empty');
      await console.button('Create an entry').waitFor();
      assert.equal(await client.region('doomed').count(), 0);
      await console.button('Destroy…').click();
      await dialog.getByLabel('Type doomed to confirm').fill('doomed');
      await console.page.keyboard.press('Enter');
      await console.see('Region doomed was destroyed.');
      await console.page
        .getByRole('link', { name: /doomed/ })
        .first()
        .waitFor({ state: 'detached' });
      assert.equal(await client.region('doomed').count(), undefined);
    });

    it('shows the counts of regions beside a long name', async () => {
      const client = new GridClient({ url: console.service.url });
      const name = 'x'.repeat(120);
      await client.createRegion({
        name,
        type: 'REPLICATE',
        keyConstraint: null,
        valueConstraint: null,
      });
      await console.open('overview');
      await console.page.getByRole('link', { name }).first().waitFor();
      for (const selector of ['.sidebar-lists', '.table-frame']) {
        const isWider = await console.page
          .locator(selector)
          .first()
          .evaluate((element) => element.scrollWidth > element.clientWidth);
        assert.equal(isWider, false, selector);
      }
      await client.destroyRegion(name);
    });

    it('gives the focus back after a dialog and after the command bar', async () => {
      await console.open('regions/orders/entries');
      const opener = console.button('New entry');
      await opener.focus();
      await console.page.keyboard.press('Enter');
      const key = console.page.getByRole('dialog').getByLabel('Key');
      await key.and(console.page.locator(':focus')).waitFor();
      await console.page.keyboard.press('Escape');
      await key.waitFor({ state: 'detached' });
      await opener.and(console.page.locator(':focus')).waitFor();
      const bar = console.page.getByRole('dialog', { name: 'Commands' });
      for (const closing of ['Escape', 'Control+k']) {
        await console.page.keyboard.press('Control+k');
        await bar.waitFor();
        await console.page.keyboard.press(closing);
        await bar.waitFor({ state: 'detached' });
        await opener.and(console.page.locator(':focus')).waitFor();
      }
    });

    it('skips to the content by keyboard', async () => {
      await console.load('overview');
      await console.see('customers');
      await console.page.keyboard.press('Tab');
      await console.page.keyboard.press('Enter');
      assert.equal(await console.page.evaluate('document.activeElement.id'), 'main');
    });
  });
}

/** Closes the command bar and opens it again before the browser reports that it was closed. */
const openAgainAtOnce = `(async () => {
  const press = () => dispatchEvent(new KeyboardEvent('keydown', { key: 'k', ctrlKey: true }));
  const isOpen = () => document.querySelector('.command-bar[open]') !== null;
  press();
  for (let turns = 0; isOpen() && turns < 100; turns++) await undefined;
  press();
  for (let frames = 0; frames < 3; frames++) await new Promise(requestAnimationFrame);
  return isOpen();
})()`;
