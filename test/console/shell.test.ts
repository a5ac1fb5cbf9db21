// The frame of the console in a real browser: navigation, command bar, preferences,
// a service that goes away and comes back.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ConsoleUnderTest } from './open-console.ts';

describe('the shell of the console', () => {
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

  it('has no barriers, and fits a narrow window', async () => {
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
    await console.page.locator('html[data-theme="dark"]').waitFor({ state: 'attached' });
    await console.page.keyboard.press('Control+k');
    await input.fill('theme system');
    await console.page.keyboard.press('Enter');
    await console.page.locator('html[data-theme="light"]').waitFor({ state: 'attached' });
    await console.page.keyboard.press('Control+k');
    await input.fill('no such thing');
    await console.see('Nothing matches.');
    await console.page.keyboard.press('Escape');
    await input.waitFor({ state: 'detached' });
  });

  it('says that a screen or a region does not exist', async () => {
    await console.open('nothing');
    await console.see('There is no such screen');
    await console.open('regions/nothing');
    await console.see('There is no region nothing');
    await console.expectAccessible();
    assert.deepEqual(console.incidents(), []);
  });

  it('skips to the content by keyboard', async () => {
    await console.open('overview');
    await console.see('customers');
    await console.page.keyboard.press('Tab');
    await console.page.keyboard.press('Enter');
    assert.equal(await console.page.evaluate('document.activeElement.id'), 'main');
  });
});
