// Logging in to the console, and the actions that a login is offered.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createApiKey, hashPassword } from '../../../src/app/index.ts';
import { ConsoleUnderTest, IN_TURN } from '../open-console.ts';

const PASSWORD = 'correct horse battery';

export function testLogin(): void {
  describe('logins of the console', IN_TURN, () => {
    let console: ConsoleUnderTest;
    let key: string;

    before(async () => {
      const made = createApiKey();
      key = made.key;
      console = await ConsoleUnderTest.start({
        settings: { 'limits.body-bytes': 2000 },
        yaml: `
auth:
  users:
    - name: anna
      password-hash: "${await hashPassword(PASSWORD)}"
      permissions: ["DATA:READ:orders"]
    - name: otto
      password-hash: "${await hashPassword(PASSWORD)}"
      permissions: ["DATA:READ:orders:100003", "DATA:WRITE:orders:100003"]
    - name: wilma
      password-hash: "${await hashPassword(PASSWORD)}"
      permissions: ["DATA:WRITE:orders"]
    - name: nemo
      password-hash: "${await hashPassword(PASSWORD)}"
      permissions: []
  api-keys:
    - name: robot
      hash: "${made.hash}"
      permissions: ["*"]
`,
      });
    });

    after(() => console?.[Symbol.asyncDispose]());

    it('asks for a login, and reports why one was refused', async () => {
      await console.load('overview');
      await console.page.getByRole('heading', { name: 'Log in' }).waitFor();
      await console.expectAccessible();
      await console.expectFitsNarrow();
      await logIn('wrong');
      await console.page.getByRole('alert').waitFor();
      assert.deepEqual(console.incidents(), []);
    });

    it('shows what the login may see, and keeps the secret only in memory', async () => {
      await console.load('overview');
      await logIn(PASSWORD);
      await console.page
        .getByRole('link', { name: /orders/ })
        .first()
        .waitFor();
      assert.equal(await console.page.getByRole('link', { name: /customers/ }).count(), 0);
      const kept = await console.page.evaluate(
        'JSON.stringify([{ ...sessionStorage }, { ...localStorage }, location.href])',
      );
      assert.ok(!String(kept).includes(PASSWORD));
      await console.page.reload();
      await console.page.getByRole('heading', { name: 'Log in' }).waitFor();
    });

    it('keeps the login for the tab on request, until logout', async () => {
      await console.load('overview');
      await console.button('API key').click();
      await console.page.getByLabel('API key', { exact: true }).last().fill(key);
      await console.page.getByLabel('Keep it until this tab is closed').check();
      await console.page.getByRole('button', { name: 'Log in' }).click();
      await console.page
        .getByRole('link', { name: /customers/ })
        .first()
        .waitFor();
      await console.page.reload();
      await console.page
        .getByRole('link', { name: /customers/ })
        .first()
        .waitFor();
      await console.button('Log out').click();
      await console.page.getByRole('heading', { name: 'Log in' }).waitFor();
      await console.page.reload();
      await console.page.getByRole('heading', { name: 'Log in' }).waitFor();
      assert.deepEqual(console.incidents(), []);
    });

    it('offers a reader no writes, and no screens without permission', async () => {
      await console.load('regions/orders/entries?key=100001');
      await logIn(PASSWORD);
      await console.see('trackingNumber');
      for (const name of ['New entry', 'Edit', 'Delete', 'Duplicate', 'Clear…', 'Destroy…']) {
        assert.equal(await console.button(name).count(), 0, name);
      }
      assert.equal(await console.page.getByRole('link', { name: 'Indexes' }).count(), 0);
      await console.load('regions/customers/entries');
      await logIn(PASSWORD);
      await console.see('There is no region customers');
      assert.deepEqual(console.incidents(), []);
    });

    it('offers a login for one key only that key', async () => {
      await console.load('regions/orders/entries');
      await logIn(PASSWORD, 'otto');
      await console.see('Your login may read single keys only');
      await console.button(/^Key$/).click();
      await console.page.getByLabel('A whole key, then Enter').fill('100003');
      await console.page.keyboard.press('Enter');
      await console.button('Edit').waitFor();
      assert.equal(await console.button('Duplicate').count(), 0);
    });

    it('tells logins without regions so', async () => {
      await console.load('overview');
      await logIn(PASSWORD, 'nemo');
      await console.see('There are no regions to see');
      await console.see('None yet');
      await console.load('transfer?do=export');
      await logIn(PASSWORD, 'wilma');
      await console.see('There is no region to export');
    });

    it('shows nothing of a login after its logout', async () => {
      const query = new URLSearchParams({ q: 'SELECT * FROM /customers c LIMIT 3' });
      await console.load(`workbench?${query}`);
      await logInWithKey();
      await console.button('Run').click();
      await console.see('Kofi Kaya');
      await console.button('Log out').click();
      await logIn(PASSWORD);
      await console.see('Ask the grid');
      assert.equal(await console.page.getByText('Kofi Kaya').count(), 0);
      assert.deepEqual(console.incidents(), []);
    });

    it('reports a value that is too large for the service', async () => {
      await console.load('regions/orders/entries?key=100001');
      await logInWithKey();
      await console.button('Edit').click();
      await console.page.locator('.cm-content').click();
      await console.page.keyboard.press('Control+a');
      await console.page.keyboard.insertText(JSON.stringify({ text: 'x'.repeat(3000) }));
      await console.button('Review the change').click();
      await console.button('Save').click();
      await console.see('request/body-too-large');
      assert.ok(await console.button('Save').isVisible(), 'the change can be corrected');
    });

    async function logInWithKey(): Promise<void> {
      await console.button('API key').click();
      await console.page.getByLabel('API key', { exact: true }).last().fill(key);
      await console.page.getByRole('button', { name: 'Log in' }).click();
    }

    async function logIn(password: string, user = 'anna'): Promise<void> {
      await console.page.getByLabel('User').fill(user);
      await console.page.getByLabel('Password', { exact: true }).last().fill(password);
      await console.page.getByRole('button', { name: 'Log in' }).click();
    }
  });
}
