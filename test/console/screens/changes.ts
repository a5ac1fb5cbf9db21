// The changes of a region in a real browser: as they happen, with differences and filters, over a
// restart of the service, and from a position that was trimmed.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { GridClient, texts } from '../../../src/client/index.ts';
import { ConsoleUnderTest, IN_TURN } from '../open-console.ts';

export function testChanges(): void {
  describe('the changes of a region', IN_TURN, () => {
    let console: ConsoleUnderTest;
    let client: GridClient;

    before(async () => {
      console = await ConsoleUnderTest.start();
      client = new GridClient({ url: console.service.url });
    });

    after(() => console?.[Symbol.asyncDispose]());

    const row = (text: string | RegExp) =>
      console.page
        .getByRole('list', { name: 'Changes, newest first' })
        .locator('.change')
        .filter({ hasText: text });

    /** Opens the page and waits until the feed is open, for earlier changes are not shown. */
    async function follow(parameters = ''): Promise<void> {
      const open = console.page.waitForResponse((answer) =>
        (answer.headers()['content-type'] ?? '').startsWith('text/event-stream'),
      );
      await console.open(`regions/items/changes${parameters}`);
      await open;
    }

    const put = (key: string, value: string): Promise<unknown> =>
      client.region('items', texts).put(key, value);

    it('are shown as they happen, with differences, digit for digit', async () => {
      await follow();
      await console.see('Waiting for changes');
      await put('A-1', '{"n":9007199254740993,"price":1.50}');
      await row('A-1').getByText('{"n":9007199254740993,"price":1.50}').waitFor();
      await put('A-1', '{"n":9007199254740993,"price":1.500,"new":true}');
      const second = row(/1\.500/);
      await second.locator('del', { hasText: '1.50' }).waitFor();
      await second.locator('ins', { hasText: 'true' }).waitFor();
      assert.equal(await second.getByText('9007199254740993').count(), 0);
      await second.getByRole('button', { name: 'Show the value of A-1' }).click();
      await second.locator('pre', { hasText: '"price": 1.500' }).waitFor();
      await console.see('201 entries');
      await client.region('items').remove('A-1');
      await row('remove').waitFor();
      await console.see('3 changes');
      // Screen readers do not announce a number that changes all the time.
      const announced = console.page.locator('[role="status"], [aria-live]');
      assert.equal(await announced.filter({ hasText: '3 changes' }).count(), 0);
      assert.match((await row(/./).first().textContent()) ?? '', /^remove/);
      await console.expectAccessible();
      await console.expectFitsNarrow();
      assert.deepEqual(console.incidents(), []);
    });

    it('are held back while the list is paused', async () => {
      await follow();
      await console.button('Pause').click();
      await put('P-1', '{"n":1}');
      await console.see('Paused; 1 new');
      assert.equal(await row('P-1').count(), 0);
      await console.button('Resume').click();
      await row('P-1').waitFor();
    });

    it('are filtered by prefix, operation and condition, and a wrong condition is reported', async () => {
      const before = await put('F-0', '{"n":0}').then(() => client.region('items').get('F-0'));
      const since = before?.version ?? 0;
      await put('F-1', '{"n":1}');
      await put('G-1', '{"n":200}');
      await client.region('items').remove('F-1');
      await console.open(`regions/items/changes?since=${since}&prefix=F-`);
      await row('remove').waitFor();
      assert.equal(await row('G-1').count(), 0);
      assert.equal(await row('F-0').count(), 0);
      await console.page.getByLabel('Writes').uncheck();
      await console.button('Apply').click();
      await row('put').first().waitFor({ state: 'detached' });
      await row('remove').waitFor();
      await console.page.getByLabel('Writes').check();
      await console.page.getByLabel('Show', { exact: true }).selectOption('where');
      await console.page.getByLabel('Condition').fill('value.n > 100');
      await console.page.keyboard.press('Enter');
      await row('G-1').waitFor();
      assert.equal(await row('F-0').count(), 0);
      await console.page.getByLabel('Condition').fill('value.n >');
      await console.page.keyboard.press('Enter');
      await console.page.getByRole('alert').waitFor();
      await console.expectAccessible();
      // The browser reports the answer 400.
      console.incidents();
    });

    it('continue after a restart of the service, with missed changes', async () => {
      await follow();
      await put('R-1', '{"n":1}');
      await row('R-1').waitFor();
      await console.service.stop();
      await console.service.startAgain();
      await put('R-1', '{"n":2}');
      await put('R-2', '{"n":3}');
      await row('R-2').waitFor();
      await row('R-1').locator('ins', { hasText: '2' }).waitFor();
      await console.see('3 changes');
      assert.equal(await row('R-1').count(), 2);
      assert.equal(await row('R-2').count(), 1);
      // The browser reports connections that broke.
      console.incidents();
    });

    it('that are gone are reported, with a way to continue', async () => {
      await console.open('regions/items/changes?since=999999999999');
      await console.see(/the log can be read from/);
      await console.expectAccessible();
      await console.button(/Show what is kept/).click();
      await row('R-2').first().waitFor();
      assert.equal(await console.page.getByLabel('After sequence').inputValue(), '0');
      // The browser reports the answer 410.
      console.incidents();
    });
  });
}
