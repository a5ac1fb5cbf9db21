// Unsaved edits of entries, which are dropped only if the user agrees, and the focus after an entry or
// an edit was closed.

import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { hashPassword } from '../../../src/app/index.ts';
import { GridClient, texts } from '../../../src/client/index.ts';
import { ConsoleUnderTest, IN_TURN } from '../open-console.ts';

const PASSWORD = 'correct horse battery';
const EDITED = '{"n":20.50}';

export function testUnsavedEdits(): void {
  describe('unsaved edits', IN_TURN, () => {
    let console: ConsoleUnderTest;
    let client: GridClient;

    before(async () => {
      const hash = await hashPassword(PASSWORD);
      console = await ConsoleUnderTest.start({
        yaml: `
auth:
  users:
    - { name: anna, password-hash: "${hash}", permissions: ["*"] }
    - { name: otto, password-hash: "${hash}", permissions: ["*"] }
`,
      });
      client = new GridClient({
        url: console.service.url,
        login: { kind: 'password', user: 'anna', password: PASSWORD },
      });
    });

    beforeEach(async () => {
      const items = client.region('items', texts);
      await items.put('A-1', '{"n":1}');
      await items.put('A-2', '{"n":2}');
    });

    after(() => console?.[Symbol.asyncDispose]());

    const row = (key: string) => console.page.getByRole('option', { name: key });
    const editor = () => console.page.locator('.cm-content');
    const dialog = () => console.page.getByRole('dialog', { name: 'Discard your changes?' });
    const link = (name: string) => console.page.getByRole('link', { name, exact: true });

    it('asks before another key, closing, another screen, and cancelling', async () => {
      await edit('A-1');
      const address = console.page.url();
      const ways = [
        () => row('A-2').click(),
        () => console.button('Close the entry').click(),
        () => link('Schema').click(),
        () => console.page.goBack(),
        () => console.page.getByRole('button', { name: 'Cancel' }).click(),
        () => console.button('Log out').click(),
      ];
      for (const leave of ways) {
        await leave();
        await dialog().getByText('A-1').waitFor();
        await console.page.keyboard.press('Escape');
        await dialog().waitFor({ state: 'detached' });
        assert.equal(await editor().textContent(), EDITED, String(leave));
        assert.equal(console.page.url(), address, String(leave));
        assert.equal(await row('A-1').getAttribute('aria-selected'), 'true', String(leave));
      }
      await link('Schema').click();
      await dialog().waitFor();
      await console.expectAccessible();
      await console.expectFitsNarrow();
      await dialog().getByRole('button', { name: 'Discard' }).click();
      await console.page.getByRole('heading', { name: 'A-1' }).waitFor({ state: 'detached' });
      assert.match(console.page.url(), /regions\/items\/schema$/);
      assert.equal((await client.region('items', texts).get('A-1'))?.value, '{"n":1}');
      assert.deepEqual(console.incidents(), []);
    });

    it('opens the other key once the changes are discarded, and asks nothing without changes', async () => {
      await edit('A-1');
      await row('A-2').click();
      await dialog().getByRole('button', { name: 'Discard' }).click();
      await console.page.getByRole('heading', { name: 'A-2' }).waitFor();
      await console.button('Edit').click();
      await type('{"n":3}');
      await console.page.keyboard.press('Control+z');
      await console.see('Not changed');
      await row('A-1').click();
      await console.page.getByRole('heading', { name: 'A-1' }).waitFor();
      await console.see('Version');
      assert.equal(await editor().count(), 0);
      await reload();
      assert.deepEqual(console.incidents(), []);
    });

    it('asks before the text of a new entry is dropped, however often', async () => {
      await open('A-1');
      await console.button('New entry').click();
      const form = console.page.getByRole('dialog', { name: 'New entry of items' });
      await form.waitFor();
      await console.page.keyboard.press('Escape');
      await form.waitFor({ state: 'detached' });
      await console.button('New entry').click();
      await form.getByRole('textbox', { name: 'Key' }).fill('NEW-1');
      for (let i = 0; i < 3; i += 1) {
        await console.page.keyboard.press('Escape');
        await dialog().getByText('Your new entry of region items is not saved.').waitFor();
        if (i === 0) await console.expectAccessible();
        await console.page.keyboard.press('Escape');
        await dialog().waitFor({ state: 'detached' });
        assert.equal(await form.getByRole('textbox', { name: 'Key' }).inputValue(), 'NEW-1');
        assert.equal(await form.isVisible(), true);
      }
      await form.getByRole('button', { name: 'Cancel' }).click();
      await dialog().getByRole('button', { name: 'Discard' }).click();
      await form.waitFor({ state: 'detached' });
      await console.button('New entry').click();
      await form.getByRole('textbox', { name: 'Key' }).fill('NEW-2');
      await form.getByRole('button', { name: 'Create' }).click();
      await console.see('NEW-2 was created.');
      assert.equal(await dialog().count(), 0);
      await reload();
      assert.deepEqual(console.incidents(), []);
      await client.region('items').remove('NEW-2');
    });

    it('keeps the edit while the list is filtered', async () => {
      await edit('A-1');
      await console.page.getByRole('searchbox').fill('A-2');
      await row('A-1').waitFor({ state: 'detached' });
      await console.button('Keys as a tree').click();
      await console.page.locator('.key-tree').waitFor();
      assert.equal(await editor().textContent(), EDITED);
      assert.equal(await dialog().count(), 0);
    });

    it('asks before the page is left, until the edit is saved', async () => {
      await edit('A-1');
      console.incidents();
      await reload();
      assert.deepEqual(console.incidents(), ['asked before leaving the page']);
      await edit('A-1');
      await console.button('Review the change').click();
      await console.button('Save').click();
      await console.see('A-1 was saved.');
      await reload();
      assert.deepEqual(console.incidents(), []);
    });

    it('continues the edit after the login expired', async () => {
      await edit('A-1');
      await expireLogin();
      await logIn('anna');
      await editor().getByText(EDITED).waitFor();
      await console.button('Review the change').click();
      await console.button('Save').click();
      await console.see('A-1 was saved.');
      assert.equal((await client.region('items', texts).get('A-1'))?.value, EDITED);
    });

    it('continues it also if the entry was deleted meanwhile', async () => {
      await edit('A-1');
      await expireLogin();
      await client.region('items').remove('A-1');
      await logIn('anna');
      await editor().getByText(EDITED).waitFor();
      await console.button('Review the change').click();
      await console.button('Save').click();
      await console.see('The entry was deleted while you edited it.');
    });

    it('shows the edit to no other login', async () => {
      await edit('A-1');
      await expireLogin();
      await logIn('otto');
      await console.button('Edit').waitFor();
      assert.equal(await editor().count(), 0);
      console.incidents();
      await reload();
      assert.deepEqual(console.incidents(), []);
    });

    it('moves the focus to the list after an entry was closed or deleted', async () => {
      await open('A-1');
      const list = console.page.getByRole('listbox');
      await console.tabTo(console.button('Close the entry'));
      await console.page.keyboard.press('Enter');
      await hasFocus(list);
      await console.page.keyboard.press('ArrowDown');
      await console.page.getByRole('heading', { name: 'A-2' }).waitFor();
      await console.tabTo(console.button('Delete'));
      await console.page.keyboard.press('Enter');
      await console.tabTo(console.page.getByRole('dialog').getByRole('button', { name: 'Delete' }));
      await console.page.keyboard.press('Enter');
      await console.see('A-2 was deleted.');
      await hasFocus(list);
      await console.button('Keys as a tree').click();
      await console.button('A-1').click();
      await console.tabTo(console.button('Close the entry'));
      await console.page.keyboard.press('Enter');
      await hasFocus(console.button('A-1'));
      await console.page.keyboard.press('Enter');
      await console.button('Delete').click();
      await console.page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await console.see('A-1 was deleted.');
      await hasFocus(console.page.getByRole('searchbox'));
    });

    it('moves the focus to the button that opened the editor after it was closed', async () => {
      await open('A-1');
      await console.button('Edit').click();
      await editor().waitFor();
      await console.page.keyboard.press('Escape');
      await console.tabTo(console.page.getByRole('button', { name: 'Cancel' }));
      await console.page.keyboard.press('Enter');
      await hasFocus(console.button('Edit'));
      await console.page.keyboard.press('Enter');
      await type(EDITED);
      await console.page.goBack();
      await dialog().waitFor();
      await console.page.keyboard.press('Escape');
      await hasFocus(editor());
      await console.page.keyboard.press('Escape');
      await console.tabTo(console.page.getByRole('button', { name: 'Cancel' }));
      await console.page.keyboard.press('Enter');
      await console.tabTo(dialog().getByRole('button', { name: 'Discard' }));
      await console.page.keyboard.press('Enter');
      await hasFocus(console.button('Edit'));
    });

    /** As its user does; the one of the test driver asks nothing. */
    async function reload(): Promise<void> {
      const loaded = console.page.waitForEvent('load');
      await console.page.evaluate('location.reload()');
      await loaded;
    }

    /** Opens an entry from the list. */
    async function open(key: string): Promise<void> {
      await console.load('regions/items/entries?prefix=A-');
      await logIn('anna');
      await row(key).click();
      await console.page.getByRole('heading', { name: key }).waitFor();
    }

    async function edit(key: string): Promise<void> {
      await open(key);
      await console.button('Edit').click();
      await type(EDITED);
    }

    /** The service refuses the login when the edit is saved. */
    async function expireLogin(): Promise<void> {
      const refusal = { status: 401, json: { code: 'auth/login-failed' } };
      await console.page.route('**', (route) =>
        route.request().method() === 'PUT' ? route.fulfill(refusal) : route.fallback(),
      );
      await console.button('Review the change').click();
      await console.button('Save').click();
      await console.page.getByRole('heading', { name: 'Log in' }).waitFor();
      await console.page.unroute('**');
    }

    async function logIn(user: string): Promise<void> {
      await console.page.getByLabel('User').fill(user);
      await console.page.getByLabel('Password', { exact: true }).last().fill(PASSWORD);
      await console.page.getByRole('button', { name: 'Log in' }).click();
    }

    async function hasFocus(control: ReturnType<typeof editor>): Promise<void> {
      const deadline = Date.now() + 10_000;
      while (!(await control.evaluate((element) => element.matches(':focus')))) {
        assert.ok(Date.now() < deadline, `${control} has the focus`);
        await console.page.waitForTimeout(20);
      }
    }

    /** Replaces the text of the editor. */
    async function type(text: string): Promise<void> {
      await editor().click();
      await console.page.keyboard.press('Control+a');
      await console.page.keyboard.insertText(text);
    }
  });
}
