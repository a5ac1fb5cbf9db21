// S6: a real browser shows all stored data as text. It uses the viewer at /docs and opens every answer
// as a page. No script in the data runs, and no policy has to block one.

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { routes } from '../../src/http/routes.ts';
import { WatchedBrowser } from '../browser/watched-browser.ts';
import { Service } from '../service.ts';

/** Payloads for HTML, attributes, scripts, URLs and Markdown. */
const PAYLOADS = [
  '<script>alert("xss 1")</script>',
  '"><img src=x onerror=alert("xss")>',
  "'-alert('xss')-'",
  '<svg onload=alert("xss")>',
  '</script><script>alert("xss")</script>',
  'javascript:alert("xss")',
  '[xss](javascript:alert(1)) ![xss](x"onerror="alert(1))',
  '<iframe srcdoc="<script>parent.alert(1)</script>"></iframe>',
  '{{constructor.constructor("alert(1)")()}}',
];
/** Several payloads in one text, within the length of a query id. */
const ALL = PAYLOADS.slice(0, 6).join(' ');
/** A text in every payload. */
const MARK = 'xss';
const PART = encodeURIComponent(ALL);
const QUOTED = ALL.replaceAll("'", "''");

/** The long form shows all operations in the viewer, which draws all of them again for every key. */
const IS_WHOLE = process.env['TEST_SHARE'] === undefined;
/** Parameters in path and query, data and failures. */
const TRIED_WHERE_QUICK = ['readEntries', 'runAdhocQuery'];

/** The viewer's own elements; everything else is data. */
const PAGE_TYPES = ['text/html', 'text/css', 'text/javascript'];
const isIn =
  (types: readonly string[] | undefined) =>
  (type: string): boolean =>
    types?.includes(type) === true;

describe('S6 stored payloads in a browser', () => {
  let service: Service;
  let browser: WatchedBrowser;
  let page: Page;

  before(async () => {
    service = await Service.start();
    await service.grid.createRegion({ name: 'orders', valueConstraint: ALL });
    await service.grid.createRegion({ name: 'alert-1' });
    const entries = PAYLOADS.map((text) => [text, JSON.stringify({ [text]: text, ALL })]);
    await service.grid.createRegion({ name: 'items' });
    await service.put('items', Object.fromEntries([...entries, [ALL, JSON.stringify([{ ALL }])]]));
    for (const id of [...PAYLOADS, ALL]) {
      await service.grid.createQuery({ id, oql: `SELECT '${QUOTED}' AS "x" FROM /items` });
    }
    browser = await WatchedBrowser.open(service.origin);
    page = await browser.context.newPage();
    page.setDefaultTimeout(60_000);
  });

  after(async () => {
    await browser?.[Symbol.asyncDispose]();
    await service?.stop();
  });

  /** The text of the page, which must contain no markup from the data. */
  async function openAsText(path: string): Promise<string> {
    const response = await page.goto(service.origin + path);
    const found = await page.locator('img, svg, iframe, object, embed, script, form').count();
    assert.equal(found, 0, `${path} has markup`);
    assert.deepEqual(browser.take(), [], path);
    assert.doesNotMatch(response?.headers()['content-type'] ?? '', /html|xml|svg/, path);
    return (await page.locator('body').textContent()) ?? '';
  }

  it('opens every answer to a GET as text, found or not', async () => {
    const paths = routes
      .filter(({ method, produces }) => method === 'GET' && !PAGE_TYPES.some(isIn(produces)))
      // A browser shows an endless stream of events as text or saves it.
      .filter(({ path }) => !path.endsWith('/_live'))
      .flatMap(({ path }) => [fill(path, 'items'), fill(path, encodeURIComponent(ALL))]);
    const parameters = ['limit', 'ignoreMissingKey', 'pretty', 'keys', 'q', 'timeout', ALL];
    const refused = parameters.map(
      (name) => `/grid-api/v1/items?${encodeURIComponent(name)}=${encodeURIComponent(ALL)}`,
    );
    let shown = 0;
    for (const path of new Set([...paths, ...refused, `/${encodeURIComponent(ALL)}`])) {
      if ((await openAsText(path)).includes(MARK)) shown += 1;
    }
    assert.ok(shown >= 15, `only ${shown} pages showed a payload`);
  });

  it('opens answers of other kinds as text: problems, plans, failed queries', async () => {
    const found = `SELECT '${QUOTED}' FROM /items i WHERE i.ALL = '${QUOTED}'`;
    const adhoc = (oql: string) => `/grid-api/v1/queries/adhoc?q=${encodeURIComponent(oql)}`;
    const kinds: readonly (readonly [string, readonly string[]])[] = [
      ['text/plain', [`${adhoc(found)}&explain=true`, `${adhoc(found)}&analyze=true`]],
      ['application/problem+json', [adhoc(ALL), adhoc(`SELECT * FROM /${ALL}`)]],
      ['application/json', [adhoc(`SELECT '${QUOTED}' FROM /items`), adhoc(ALL)]],
    ];
    for (const [accept, paths] of kinds) {
      await page.setExtraHTTPHeaders({ Accept: accept });
      for (const path of paths) assert.ok((await openAsText(path)).includes(MARK), path);
    }
    await page.setExtraHTTPHeaders({});
  });

  it('shows the answer to a form of another page as text', async () => {
    const id = encodeURIComponent(ALL);
    await page.goto('about:blank');
    await page.setContent(
      `<form method="post" enctype="text/plain" action="${service.api}/queries/${id}"></form>`,
    );
    const loaded = page.waitForNavigation();
    await page.evaluate('document.forms[0].submit()');
    assert.ok(((await loaded)?.status() ?? 0) >= 400);
    assert.equal(await page.locator('img, svg, iframe, script, form').count(), 0);
    assert.deepEqual(browser.take(), []);
  });

  it('shows data in the viewer as text, and ignores its address', async () => {
    const elsewhere = encodeURIComponent('data:application/json,{"info":{"title":"<b>"}}');
    const query = `url=${elsewhere}&configUrl=${elsewhere}&validatorUrl=//evil.example/`;
    if (!IS_WHOLE) await describeOnly(page, TRIED_WHERE_QUICK);
    await page.goto(`${service.origin}/docs?${query}&${PART}#/${PART}`);
    await page.locator('.opblock').first().waitFor();
    assert.match((await page.locator('.info .title').textContent()) ?? '', /^gridkeep/);
    const operations = await page.locator('.opblock').count();
    const fewest = IS_WHOLE ? routes.length - 1 : TRIED_WHERE_QUICK.length;
    assert.ok(operations >= fewest, `${operations} operations`);
    // Only operations that show data, because each takes seconds on a busy machine.
    const tries: readonly (readonly [string, readonly Values[]])[] = [
      ['readRegion', [{ region: 'items' }, { region: ALL }]],
      ['readEntries', [{ keys: ALL }, { keys: `absent ${ALL}` }]],
      ['readQuery', [{ queryId: ALL }]],
      ['runAdhocQuery', [{ q: `SELECT '${QUOTED}' FROM /items` }, { q: ALL }]],
    ];
    const isTried = (operation: string): boolean =>
      IS_WHOLE || TRIED_WHERE_QUICK.includes(operation);
    for (const [operation, rounds] of tries.filter(([operation]) => isTried(operation))) {
      for (const shown of await tryOut(page, operation, rounds)) {
        assert.ok(shown.includes(MARK), `${operation}: ${shown}`);
      }
      assert.deepEqual(browser.take(), [], operation);
    }

    // Control: markup in the page is blocked by its policy, and detected.
    await page.evaluate(`document.body.insertAdjacentHTML('beforeend', ${JSON.stringify(ALL)})`);
    const incidents = await browser.takeOne();
    assert.ok(
      incidents.some((incident) => incident.startsWith('blocked: script-src')),
      incidents.join(),
    );
    assert.ok(!incidents.some((incident) => incident.startsWith('ran')));
  });

  it('control: the same payloads run where they are sent as a page', async () => {
    const server = createServer((request, response) => {
      const isGuarded = request.url === '/guarded';
      response.setHeader('Content-Type', 'text/html');
      if (isGuarded) response.setHeader('Content-Security-Policy', "default-src 'none'");
      response.end(`<p>${PAYLOADS.join('\n')}`);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      // A public address, and a port of this server.
      const { port } = server.address() as AddressInfo;
      await page.goto(`http://127.0.0.1:${port}/open`);
      assert.ok(browser.take().includes('ran: xss 1'));
      await page.goto(`http://127.0.0.1:${port}/guarded`);
      const blocked = browser.take();
      assert.ok(!blocked.some((incident) => incident.startsWith('ran')));
      assert.ok(blocked.some((incident) => incident.startsWith('blocked: script-src')));
    } finally {
      server.close();
      server.closeAllConnections();
    }
  });
});

/** A path of the route, with `thing` for each parameter. */
function fill(pattern: string, thing: string): string {
  const inRegion = pattern.replace(/\{(?:region|name)\}(?=\/)/, 'items');
  return inRegion.replaceAll(/\{\w+\}/g, thing);
}

type Values = Readonly<Record<string, string>>;

/** Answers without schemas, for which the viewer would make up examples for every key. */
const SHORT = { default: { description: 'Any answer.' } };
type Methods = Readonly<Record<string, { readonly operationId: string }>>;

/** The service's own document for the viewer, with only these operations and no schemas of answers. */
async function describeOnly(page: Page, operations: readonly string[]): Promise<void> {
  await page.route('**/openapi.json', async (route) => {
    const answer = await route.fetch();
    const { components, paths, ...document } = await answer.json();
    const kept: Record<string, Record<string, unknown>> = {};
    for (const [path, methods] of Object.entries<Methods>(paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        if (!operations.includes(operation.operationId)) continue;
        kept[path] = { ...kept[path], [method]: { ...operation, responses: SHORT } };
      }
    }
    await route.fulfill({ response: answer, json: { ...document, components, paths: kept } });
  });
}

/** Fills in the fields of an operation, sends it, and returns the text that the viewer shows. */
async function tryOut(
  page: Page,
  operation: string,
  rounds: readonly Values[],
): Promise<readonly string[]> {
  const block = page.locator(`.opblock[id$="-${operation}"]`);
  await block.locator('.opblock-summary-control').click();
  await block.locator('.execute').waitFor();
  const shown: string[] = [];
  for (const values of rounds) {
    for (const [name, value] of Object.entries(values)) await fillIn(block, name, value);
    const answered = page.waitForResponse((response) => !response.url().includes('/docs'));
    await block.locator('.execute').click();
    await answered;
    const answer = block.locator('.live-responses-table .response');
    await answer.waitFor();
    shown.push(
      `${await block.locator('.request-url').textContent()} ${await answer.textContent()}`,
    );
  }
  await block.locator('.opblock-summary-control').click();
  return shown;
}

async function fillIn(block: Locator, name: string, value: string): Promise<void> {
  const row = block.locator(`tr[data-param-name="${name}"]`);
  const removers = row.locator('.json-schema-form-item-remove');
  while ((await removers.count()) > 1) await removers.last().click();
  await row.locator('input').first().fill(value);
}
