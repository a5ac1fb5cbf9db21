// Import and export in a real browser: files of three formats, failed rows, an outage of the service,
// and files that are exported as they were imported.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { GridClient, type PageEntry, texts } from '../../../src/client/index.ts';
import { ConsoleUnderTest, IN_TURN } from '../open-console.ts';

const EXACT = '{"id":9007199254740993,"price":1.50,"note":"é"}';

export function testTransfer(): void {
  describe('import and export', IN_TURN, () => {
    let console: ConsoleUnderTest;
    let client: GridClient;

    before(async () => {
      console = await ConsoleUnderTest.start();
      client = new GridClient({ url: console.service.url });
      for (const name of ['loaded', 'parts']) {
        await client.createRegion({
          name,
          type: 'REPLICATE',
          keyConstraint: null,
          valueConstraint: null,
        });
      }
    });

    after(() => console?.[Symbol.asyncDispose]());

    async function choose(name: string, content: string, region = 'loaded'): Promise<void> {
      await console.load(`transfer?region=${region}`);
      await console.page
        .locator('input[type=file]')
        .setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(content) });
      await console.page.getByRole('heading', { name }).waitFor();
    }

    async function see(outcome: string, count: string): Promise<void> {
      const figure = console.page.locator('.transfer-outcome > div', { hasText: outcome });
      await figure.getByText(count, { exact: true }).waitFor();
    }

    const entryOf = async (region: string, key: string): Promise<PageEntry<string> | undefined> => {
      for await (const entry of client.region(region, texts).entries({ prefix: key })) return entry;
      return undefined;
    };
    const stored = async (key: string): Promise<string | undefined> =>
      (await client.region('loaded', texts).get(key))?.value;

    it('imports NDJSON digit for digit, and reports which lines failed', async () => {
      await console.load('transfer');
      await console.see('Drop a file here');
      await console.expectAccessible();
      await console.expectFitsNarrow();
      await choose('orders.ndjson', `${EXACT}\n\nnot JSON\n{"id":""}\n{"id":"b"}\n`);
      await console.page.getByLabel('Key', { exact: true }).selectOption({ label: 'Field id' });
      await console.page.getByRole('cell', { name: '9007199254740993', exact: true }).waitFor();
      await console.see('Its id is empty.');
      await console.expectAccessible();
      await console.expectFitsNarrow();
      await console.button('Import into loaded').click();
      await see('succeeded', '2');
      await see('failed', '2');
      const failures = console.page.getByRole('region', { name: 'Rows that failed' });
      await failures.getByRole('row', { name: /^3 .*It is not JSON/ }).waitFor();
      await failures.getByRole('row', { name: /^4 .*Its id is empty/ }).waitFor();
      await console.expectAccessible();
      await console.expectFitsNarrow();
      assert.equal(await stored('9007199254740993'), EXACT);
      await console.page.getByRole('link', { name: 'See the entries of loaded' }).click();
      await console.page.getByRole('option', { name: '9007199254740993' }).waitFor();
      assert.deepEqual(console.incidents(), []);
    });

    it('imports a file by drag and drop', async () => {
      await console.load('transfer?region=loaded');
      const place = console.page.getByRole('region', { name: 'File to import' });
      await place.waitFor();
      const file = await console.page.evaluateHandle(`(() => {
        const transfer = new DataTransfer();
        transfer.items.add(new File(['{"id":"dropped","n":1.0}'], 'dropped.ndjson'));
        return transfer;
      })()`);
      await place.dispatchEvent('dragover', { dataTransfer: file });
      await console.page.locator('.file-drop-over').waitFor();
      await place.dispatchEvent('drop', { dataTransfer: file });
      await console.page.getByRole('heading', { name: 'dropped.ndjson' }).waitFor();
      await console.button('Import into loaded').click();
      await see('succeeded', '1');
      assert.equal(await stored('dropped'), '{"id":"dropped","n":1.0}');
      assert.deepEqual(console.incidents(), []);
    });

    it('imports a JSON array with line breaks, and keeps existing keys on request', async () => {
      await client.region('loaded', texts).put('kept', '{"n":1}');
      await choose(
        'array.json',
        '[\n {"key": "kept",\n "value": {"n":2}},\n {"key":"new","value":{"n":1.0}}\n]',
      );
      await console.page
        .getByLabel('Keys that exist')
        .selectOption({ label: 'Leave them as they are' });
      await console.button('Import into loaded').click();
      await see('succeeded', '1');
      await see('existed already', '1');
      await see('failed', '0');
      assert.equal(await stored('kept'), '{"n":1}');
      assert.equal(await stored('new'), '{"n":1.0}');
    });

    it('imports CSV with types, and reports refused rows', async () => {
      const long = 'k'.repeat(5000);
      await choose('items.csv', `sku,name,price\nA-1,"Cup, tin",1.50\n${long},x,2\nA-3,,\n`);
      await console.button('Import into loaded').click();
      await see('succeeded', '2');
      await see('failed', '1');
      const failures = console.page.getByRole('region', { name: 'Rows that failed' });
      await failures.getByRole('row', { name: /^2 .*\(\w+\/[a-z-]+\)/ }).waitFor();
      assert.equal(await stored('A-1'), '{"sku":"A-1","name":"Cup, tin","price":1.50}');
      assert.equal(await stored('A-3'), '{"sku":"A-3"}');
      await choose('broken.csv', 'a,a\n1,2\n');
      await console.page.getByRole('alert').getByText('Two columns').waitFor();
      assert.equal(await console.button('Import into loaded').isDisabled(), true);
    });

    it('can be cancelled, and continues after the finished rows', async () => {
      const lines = Array.from({ length: 3500 }, (_, n) => `{"id":"${n}","text":"some text"}`);
      await choose('many.ndjson', lines.join('\n'), 'parts');
      // The second batch waits until the import is cancelled.
      const cancelled = Promise.withResolvers<void>();
      let batches = 0;
      await console.page.route('**/_bulk', async (route) => {
        batches += 1;
        if (batches > 1) await cancelled.promise;
        await route.continue().catch(() => undefined); // the cancelled request has ended
      });
      await console.button('Import into parts').click();
      await console.see(/1,000 rows/);
      await console.page.getByRole('progressbar').waitFor();
      await console.expectAccessible();
      await console.button('Cancel').click();
      await console.see('Cancelled: many.ndjson into parts');
      cancelled.resolve();
      await see('succeeded', '1,000');
      await console.button('Continue after row 1,000').click();
      await see('succeeded', '3,500');
      await console.page.unroute('**/_bulk');
      assert.equal(await client.region('parts').count(), 3500);
      assert.deepEqual(console.incidents(), []);
    });

    it('stops during an outage of the service, and continues after it', async () => {
      const lines = Array.from({ length: 1500 }, (_, n) => `{"id":"again-${n}"}`);
      await choose('again.ndjson', lines.join('\n'), 'parts');
      await console.service.stop();
      await console.button('Import into parts').click();
      await console.see('Stopped: again.ndjson into parts');
      await console.page.getByRole('alert').first().waitFor();
      await console.service.startAgain();
      await console.button('Continue after row 0').click();
      await see('succeeded', '1,500');
      assert.equal(await client.region('parts').count(), 5000);
      // The browser reports the requests that failed.
      console.incidents();
    });

    it('exports a region so that it can be imported again', async () => {
      await console.load('transfer?do=export&region=customers');
      await console.expectAccessible();
      const saved = console.page.waitForEvent('download');
      await console.button('Export customers').click();
      const download = await saved;
      assert.equal(download.suggestedFilename(), 'customers.ndjson');
      const content = await readFile(await download.path(), 'utf8');
      await console.see(/Saved customers\.ndjson: \d+ rows/);
      await console.expectFitsNarrow();
      const rows = content.trimEnd().split('\n');
      assert.equal(rows.length, await client.region('customers').count());
      const value = (await client.region('customers', texts).get('1001'))?.value;
      assert.equal(rows[0], `{"key":"1001","value":${value}}`);
      await choose('customers.ndjson', content);
      await console.button('Import into loaded').click();
      await see('succeeded', String(rows.length));
      assert.equal(await stored('1001'), value);
      assert.deepEqual(console.incidents(), []);
    });

    it('keeps the expiry of entries, and leaves out those that have expired', async () => {
      await client.region('parts', texts).clear();
      await client.region('parts', texts).put('short', EXACT, { ttl: 3600 });
      await client.region('parts', texts).put('endless', EXACT);
      await console.load('transfer?do=export&region=parts');
      const saved = console.page.waitForEvent('download');
      await console.button('Export parts').click();
      const content = await readFile(await (await saved).path(), 'utf8');
      const [endless, short] = content.trimEnd().split('\n');
      assert.equal(endless, `{"key":"endless","value":${EXACT}}`);
      const expires = (await entryOf('parts', 'short'))?.expires;
      assert.equal(short, `{"key":"short","value":${EXACT},"expires":${JSON.stringify(expires)}}`);
      const gone = `{"key":"gone","value":${EXACT},"expires":"2020-01-01T00:00:00Z"}\n`;
      await choose('parts.ndjson', content + gone);
      await console.button('Import into loaded').click();
      await see('succeeded', '2');
      await see('had expired', '1');
      const shiftMs = Math.abs(
        Number((await entryOf('loaded', 'short'))?.expires) - Number(expires),
      );
      assert.ok(shiftMs < 10_000, `expires ${shiftMs} ms from the original`);
      assert.equal((await entryOf('loaded', 'endless'))?.expires, undefined);
      assert.equal(await stored('gone'), undefined);
      assert.deepEqual(console.incidents(), []);
    });

    it('exports the rows of a query as CSV, and reports a failed query', async () => {
      await console.load('transfer?do=export');
      await console.button('Rows of a query').click();
      await console.button('CSV').click();
      const query = console.page.getByRole('textbox', { name: 'Query' });
      await query.fill('SELECT c.id AS id FROM');
      await console.button('Export the rows').click();
      await console.page.getByRole('alert').getByText('oql/syntax-error').waitFor();
      await console.expectAccessible();
      await query.fill(
        'SELECT c.id AS id, c.ledgerNumber AS ledger FROM /customers c ORDER BY c.id LIMIT 2',
      );
      const saved = console.page.waitForEvent('download');
      await console.button('Export the rows').click();
      const content = await readFile(await (await saved).path(), 'utf8');
      assert.match(content, /^id,ledger\r\n1001,9007199254740993\r\n1002,\d+\r\n$/);
      assert.deepEqual(console.incidents(), []);
    });
  });
}
