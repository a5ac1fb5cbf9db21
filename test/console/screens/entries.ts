// The entries of a region in a real browser: browsing, filters, values of any kind, editing with review,
// conflicts, and failures.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { GridClient, texts } from '../../../src/client/index.ts';
import { ConsoleUnderTest, IN_TURN } from '../open-console.ts';

export function testEntries(): void {
  describe('the entries of a region', IN_TURN, () => {
    let console: ConsoleUnderTest;
    let client: GridClient;

    before(async () => {
      console = await ConsoleUnderTest.start({ settings: { 'limits.body-bytes': 8_000_000 } });
      client = new GridClient({ url: console.service.url });
    });

    after(() => console?.[Symbol.asyncDispose]());

    const row = (key: string) => console.page.getByRole('option', { name: key });
    const editor = () => console.page.locator('.cm-content');

    it('lists keys, and shows the chosen value as tree, text and table', async () => {
      await console.open('regions/orders');
      await row('100001').click();
      await console.see('1152921504606846977');
      await console.see(/Version \d/);
      await console.expectAccessible();
      await console.button('Text').click();
      await console.page.locator('pre', { hasText: '"total": 2241.0' }).waitFor();
      await console.button('Table').click();
      await console.page.getByRole('rowheader', { name: 'trackingNumber' }).waitFor();
      await console.expectFitsNarrow();
      assert.deepEqual(console.incidents(), []);
    });

    it('goes to the last key and back by keyboard', async () => {
      await console.open('regions/orders/entries');
      await row('100001').waitFor();
      await console.page.getByRole('listbox').focus();
      await console.page.keyboard.press('End');
      await console.page.getByRole('heading', { name: '103000' }).waitFor();
      await console.page.keyboard.press('ArrowUp');
      await console.page.getByRole('heading', { name: '102999' }).waitFor();
      await console.page.keyboard.press('Home');
      await console.page.getByRole('heading', { name: '100001' }).waitFor();
      await console.page.keyboard.press('ArrowDown');
      await console.page.getByRole('heading', { name: '100002' }).waitFor();
      assert.equal(await row('100002').getAttribute('aria-selected'), 'true');
      assert.equal(await row('103000').count(), 0);
    });

    it('shows keys as a tree with counts, and a branch as a list', async () => {
      await console.open('regions/orders/entries');
      await row('100001').waitFor();
      await console.button('Keys as a tree').click();
      await console.button(/^100….*999$/).click();
      await console.button(/^1005….*100$/).click();
      await console.expectAccessible();
      await console.button('100550').click();
      await console.page.getByRole('heading', { name: '100550' }).waitFor();
      await console.button('List keys that begin with 1005').click();
      await row('100500').waitFor();
      assert.equal(await console.page.getByRole('option', { name: '100600' }).count(), 0);
      assert.deepEqual(console.incidents(), []);
    });

    it('filters by prefix, key and condition, and reports a wrong condition', async () => {
      await console.open('regions/items/entries');
      await row('SKU-0001').waitFor();
      await console.page.getByRole('searchbox').fill('SKU-019');
      await row('SKU-0199').waitFor();
      assert.equal(await console.page.getByRole('option').count(), 10);
      await console.button('Condition').click();
      await console.page.getByRole('searchbox').fill('price > 295');
      await console.page.keyboard.press('Enter');
      await row('SKU-0001').waitFor({ state: 'detached' });
      await console.page.getByRole('option').first().waitFor();
      await console.page.getByRole('searchbox').fill('price >');
      await console.page.keyboard.press('Enter');
      await console.page.getByRole('alert').waitFor();
      await console.page.getByRole('searchbox').fill('name = "Clay Pot"');
      await console.page.keyboard.press('Enter');
      await console.see('Texts are in single quotes');
      await console.button('Key').click();
      await console.page.getByRole('searchbox').fill('SKU-0007');
      await console.page.keyboard.press('Enter');
      await console.page.getByRole('heading', { name: 'SKU-0007' }).waitFor();
      await console.page.getByRole('searchbox').fill('no such key');
      await console.page.keyboard.press('Enter');
      await console.see('There is no entry with this key');
    });

    it('saves a reviewed change digit for digit', async () => {
      const items = client.region('items', texts);
      await items.put('edited', '{"price":20.0,"big":9007199254740993}');
      await console.open('regions/items/entries?key=edited');
      await console.button('Edit').click();
      await editor().waitFor();
      await console.expectAccessible();
      await type('{ "price": 20.50, "big": 9007199254740993 ');
      await console.page.locator('.field-error').waitFor();
      assert.ok(await console.button('Review the change').isDisabled());
      await type('{ "price": 20.50, "big": 9007199254740993 }');
      await console.button('Review the change').click();
      await console.page.locator('.cm-deletedChunk', { hasText: '20.0' }).first().waitFor();
      await console.button('Save').click();
      await console.see('edited was saved.');
      assert.equal((await items.get('edited'))?.value, '{"price":20.50,"big":9007199254740993}');
      assert.deepEqual(console.incidents(), []);
    });

    it('shows when an entry expires, and keeps that time when it is changed or undeleted', async () => {
      const items = client.region('items', texts);
      await items.put('brief', '{"n":1}', { ttl: 'PT1H' });
      await console.open('regions/items/entries?key=brief');
      await console.see(/expires \d/);
      await console.button('Edit').click();
      await type('{"n":2}');
      await console.button('Review the change').click();
      await console.button('Save').click();
      await console.see('brief was saved.');
      const expectExpiry = async (): Promise<void> => {
        const saved = await items.get('brief');
        assert.equal(saved?.value, '{"n":2}');
        const left = (saved?.expires?.getTime() ?? 0) - Date.now();
        assert.ok(left > 50 * 60_000 && left < 61 * 60_000, `${left} ms are left`);
      };
      await expectExpiry();
      await console.button('Delete').click();
      await console.page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await console.button('Undo').click();
      await console.see('brief was restored.');
      await expectExpiry();
    });

    it('shows the white space of keys and names, and deep values line by line', async () => {
      const items = client.region('items', texts);
      const deep = '{"deep":'.repeat(40);
      await items.put(' two  spaces', `{"":1,"a ":"b  c","d":${deep}1${'}'.repeat(41)}`);
      await console.open(
        `regions/items/entries?prefix=%20&key=${encodeURIComponent(' two  spaces')}`,
      );
      await console.page.locator('.json-line', { hasText: '"": 1' }).waitFor();
      await console.page.locator('.json-line', { hasText: '"a ": "b  c"' }).waitFor();
      await row('two').waitFor();
      /** As rendered, unlike `textContent`. */
      const textOf = (selector: string) =>
        console.page.evaluate(`document.querySelector('${selector}').innerText`);
      assert.equal(await textOf('.entry-title h2'), ' two  spaces');
      assert.equal(await textOf('.key-name'), ' two  spaces');
      assert.equal(await textOf('.json-string'), '"b  c"');
      const closed = console.page.locator('.json-toggle[aria-expanded=false]');
      while ((await closed.count()) > 0) await closed.first().click();
      const last = await console.page.locator('.json-toggle').last().boundingBox();
      assert.ok((last?.height ?? 99) < 30, 'one line');
      await console.expectFitsNarrow();
    });

    it('lists the keys once the service is back', async () => {
      await console.open('regions/orders/entries');
      await row('100001').waitFor();
      await console.service.stop();
      await console.page.evaluate("location.hash = '#/regions/customers/entries'");
      await console.see('client/unreachable');
      await console.service.startAgain();
      await row('1001').first().waitFor();
      console.incidents();
    });

    it('shows and merges both changes after a conflict', async () => {
      const items = client.region('items', texts);
      await items.put('shared', '{"price":1.0,"stock":5}');
      await console.open('regions/items/entries?key=shared');
      await console.button('Edit').click();
      await type('{"price":2.0,"stock":5}');
      await items.put('shared', '{"price":1.0,"stock":6}');
      await console.button('Review the change').click();
      await console.button('Save').click();
      await console.see('Somebody saved version');
      await console.page.getByRole('region', { name: 'Their change' }).waitFor();
      await console.expectAccessible();
      assert.equal((await items.get('shared'))?.value, '{"price":1.0,"stock":6}');
      await console.button('Edit both together').click();
      await console.button('Review the change').click();
      await console.button('Save').click();
      await console.see('shared was saved.');
      assert.equal((await items.get('shared'))?.value, '{"price":2.0,"stock":6}');
    });

    it('creates, duplicates and deletes, with undo', async () => {
      await console.open('regions/items/entries');
      await console.button('New entry').click();
      await console.page.getByLabel('Key').last().fill('SKU-0001');
      await type('{"name":"new"}');
      await console.expectAccessible();
      await console.button('Create').click();
      await console.page.getByRole('alert').waitFor();
      await console.page.getByLabel('Key').last().fill('A-new-one');
      await console.button('Create').click();
      await console.page.getByRole('heading', { name: 'A-new-one' }).waitFor();
      await console.button('Duplicate').click();
      await console.page.getByLabel('Key').last().fill('A-copy');
      await console.button('Create').click();
      await console.page.getByRole('heading', { name: 'A-copy' }).waitFor();
      await console.button('Delete').click();
      await console.page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await row('A-copy').waitFor({ state: 'detached' });
      assert.equal(await client.region('items').get('A-copy'), undefined);
      await console.button('Undo').click();
      await row('A-copy').waitFor();
      assert.deepEqual((await client.region('items').get('A-copy'))?.value, { name: 'new' });
    });

    it('edits an entry by keyboard alone', async () => {
      const items = client.region('items', texts);
      await items.put('A-typed', '{"n":1}');
      await console.open('regions/items/entries?prefix=A-typed');
      await console.tabTo(console.page.getByRole('listbox'));
      await console.page.keyboard.press('ArrowDown');
      await console.page.getByRole('heading', { name: 'A-typed' }).waitFor();
      await console.tabTo(console.button('Edit'));
      await console.page.keyboard.press('Enter');
      await console.tabTo(editor());
      await console.page.keyboard.press('Control+a');
      await console.page.keyboard.insertText('{"n":2.0}');
      await console.page.keyboard.press('Escape');
      await console.tabTo(console.button('Review the change'));
      await console.page.keyboard.press('Enter');
      await console.tabTo(console.button('Save'));
      await console.page.keyboard.press('Enter');
      await console.see('A-typed was saved.');
      assert.equal((await items.get('A-typed'))?.value, '{"n":2.0}');
    });

    it('lists the versions of an entry, and restores one, also after it was deleted', async () => {
      await client.createRegion({
        name: 'kept',
        type: 'REPLICATE',
        keyConstraint: null,
        valueConstraint: null,
        settings: { history: { count: 100 } },
      });
      const kept = client.region('kept', texts);
      await kept.put('tea', '{"eur":4.50}');
      await kept.put('tea', '{"eur":4.90,"note":"new"}');
      const last = await kept.put('tea', '{"eur":5.10,"note":"new"}');
      await console.open('regions/kept/entries?key=tea');
      await console.button('History').click();
      const versions = console.page.getByRole('list', { name: 'Versions, latest first' });
      await versions.getByRole('button', { name: /eur, note/ }).waitFor();
      assert.equal(await versions.getByRole('button').count(), 3);
      await console.page.locator('.cm-deletedChunk', { hasText: '5.10' }).first().waitFor();
      await console.expectAccessible();
      await console.expectFitsNarrow();
      await versions.getByRole('button').last().click();
      // Another client has written meanwhile.
      await kept.put('tea', '{"eur":5.20}', { ifVersion: last.version });
      await console.button(/^Restore version/).click();
      await console.page.getByRole('alert').waitFor();
      assert.equal((await kept.get('tea'))?.value, '{"eur":5.20}');
      await console.open('regions/kept/entries?key=tea');
      await console.button('History').click();
      await versions.getByRole('button').last().click();
      await console.button(/^Restore version/).click();
      await console.see(/Version .* of tea was restored/);
      assert.equal((await kept.get('tea'))?.value, '{"eur":4.50}');
      await kept.remove('tea');
      await console.open('regions/kept/entries?key=tea');
      await console.see('There is no entry with this key');
      await console.button('History').click();
      await versions.getByRole('button', { name: 'remove' }).waitFor();
      await console.button(/^Restore version/).click();
      await row('tea').waitFor();
      assert.equal((await kept.get('tea'))?.value, '{"eur":4.50}');
      // The browser reports the answer 412.
      console.incidents();
    });

    it('shows hostile values as text, without freezing', async () => {
      await client.createRegion({
        name: 'hostile',
        type: 'REPLICATE',
        keyConstraint: null,
        valueConstraint: null,
      });
      const hostile = client.region('hostile');
      await hostile.put('<img src=x onerror=alert(1)>', {
        '<script>alert(2)</script>': '<img src=x onerror=alert(3)>',
        rtl: 'abc \u202e evil \u0007',
      });
      await hostile.put('long', { text: 'x'.repeat(5_000_000) });
      await hostile.put(
        'wide',
        Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`member${i}`, i])),
      );
      await console.open('regions/hostile/entries');
      await row('<img src=x onerror=alert(1)>').click();
      await console.see('<script>alert(2)</script>');
      await console.see(/\\u202e evil \\u0007/);
      await row('long').click();
      await console.see(/show more of 4\.8 MiB/);
      await console.button('Text').click();
      await console.see(/Show more of 4\.8 MiB/);
      await row('wide').click();
      await console.see('10,000 members');
      await console.see('Show more: 9,900 are left');
      assert.equal(await console.page.locator('img').count(), 0);
      assert.deepEqual(console.incidents(), []);
    });

    it('explains why a region of type EMPTY shows nothing', async () => {
      const shape = { type: 'EMPTY', keyConstraint: null, valueConstraint: null };
      await client.createRegion({ name: 'signals', ...shape });
      await console.open('regions/signals/entries');
      await console.see('This region keeps no entries');
      assert.equal(await console.page.getByRole('option').count(), 0);
      assert.deepEqual(console.incidents(), []);
    });

    it('reports that a region was destroyed, during an edit and afterwards', async () => {
      await client.createRegion({
        name: 'vanishing',
        type: 'REPLICATE',
        keyConstraint: null,
        valueConstraint: null,
      });
      await client.region('vanishing').put('a', { n: 1 });
      await console.open('regions/vanishing/entries?key=a');
      await console.button('Edit').click();
      await type('{"n":2}');
      await client.destroyRegion('vanishing');
      await console.button('Review the change').click();
      await console.button('Save').click();
      await console.see(/grid\/region-not-found/);
      await console.load('regions/vanishing/entries');
      await console.see('There is no region vanishing');
      assert.equal(await console.page.getByRole('option').count(), 0);
    });

    /** Replaces the text of the editor. */
    async function type(text: string): Promise<void> {
      await editor().click();
      await console.page.keyboard.press('Control+a');
      await console.page.keyboard.insertText(text);
    }
  });
}
