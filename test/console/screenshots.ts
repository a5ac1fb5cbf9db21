// `npm run screenshots`: writes images of the main screens to docs/images, light and dark, from the
// sample grid. With a folder as argument, it writes every screen in both themes, wide and narrow, to that
// folder for review.

import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { GridClient } from '../../src/client/index.ts';
import { ConsoleUnderTest, type Theme } from './open-console.ts';

interface Shot {
  readonly name: string;
  readonly address: string;
  /** Brings the screen into the state to show, and waits for it. */
  readonly prepare: (page: Page) => Promise<unknown>;
  /** Whether it is part of the documentation. */
  readonly isShown?: true;
}

const SHOTS: readonly Shot[] = [
  {
    name: 'overview',
    address: 'overview',
    prepare: showTraffic,
    isShown: true,
  },
  {
    name: 'query',
    address: `workbench?${new URLSearchParams({ q: 'SELECT o.status AS status, COUNT(*) AS orders, SUM(o.total) AS revenue\nFROM /orders o\nGROUP BY o.status ORDER BY o.status' })}`,
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Run' }).click();
      await page.getByRole('button', { name: 'Chart' }).click();
      await page.getByRole('img', { name: 'revenue by status' }).waitFor();
    },
    isShown: true,
  },
  {
    name: 'live-query',
    address: `workbench?${new URLSearchParams({ q: 'SELECT i.sku AS sku, i.name AS name, i.price AS price, i.stock AS stock\nFROM /items i WHERE i.price > 270' })}`,
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Live', exact: true }).click();
      await page.getByText(/rows, \d+ change/).waitFor();
      const items = new GridClient({ url: console.service.url }).region('items');
      const stock = Date.now();
      await items.put('NEW-1', { sku: 'NEW-1', name: 'Brass Lamp', price: 324, stock });
      await page.locator('.fresh').first().waitFor();
    },
  },
  {
    name: 'plan',
    address: `workbench?${new URLSearchParams({ q: "SELECT c.name, COUNT(*) AS n FROM /orders o, /customers c\nWHERE o.customerId = c.id AND o.status = 'paid'\nGROUP BY c.name ORDER BY n DESC LIMIT 5" })}`,
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Analyze' }).click();
      await page.getByText('It ran in').waitFor();
    },
  },
  {
    name: 'plans',
    address: 'workbench',
    prepare: comparePlans,
  },
  {
    name: 'entries',
    address: 'regions/orders/entries?key=100003',
    prepare: (page) => page.locator('.entry-pane').getByText('trackingNumber').first().waitFor(),
    isShown: true,
  },
  {
    name: 'entries-list',
    address: 'regions/orders/entries',
    prepare: (page) => page.getByRole('option').first().waitFor(),
  },
  {
    name: 'entries-tree',
    // Other shots write orders with other keys.
    address: 'regions/orders/entries?view=tree&prefix=10',
    prepare: async (page) => {
      await page.getByRole('button', { name: /^100…/ }).click();
      await page.getByRole('button', { name: /^1005…/ }).click();
      await page.getByText('100550').first().waitFor();
    },
  },
  {
    name: 'entries-edit',
    address: 'regions/orders/entries?key=100003',
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Edit' }).click();
      await page.locator('.cm-line').first().waitFor();
    },
  },
  {
    name: 'entries-review',
    address: 'regions/orders/entries?key=100003',
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Edit' }).click();
      await page.locator('.cm-line', { hasText: '"status"' }).click();
      await page.keyboard.press('Home');
      await page.keyboard.insertText('"note": "gift wrap",\n  ');
      await page.getByRole('button', { name: 'Review the change' }).click();
      await page.locator('.cm-changedLine').first().waitFor();
    },
  },
  {
    name: 'entries-history',
    address: 'regions/prices/entries?key=tea',
    prepare: showHistory,
  },
  {
    name: 'indexes',
    address: 'regions/orders/indexes',
    prepare: (page) => page.getByText('orders-of-customer').waitFor(),
  },
  {
    name: 'new-entry',
    address: 'regions/items/entries',
    prepare: async (page) => {
      await page.getByRole('button', { name: 'New entry' }).click();
      await page.locator('.cm-line').first().waitFor();
    },
  },
  {
    name: 'schema',
    address: 'regions/orders/schema',
    prepare: (page) => page.getByRole('rowheader', { name: 'status', exact: true }).waitFor(),
  },
  {
    name: 'queries',
    address: 'queries?id=orders-of-customer',
    prepare: (page) => page.getByLabel('$1').waitFor(),
  },
  {
    name: 'live',
    address: 'live',
    prepare: (page) => page.getByText('Slowest').first().waitFor(),
  },
  {
    name: 'commands',
    address: 'overview',
    prepare: async (page) => {
      await page.locator('.region-title', { hasText: 'customers' }).waitFor();
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox').fill('ord');
    },
  },
  {
    name: 'changes',
    address: 'regions/items/changes',
    prepare: showChanges,
  },
  {
    name: 'import',
    address: 'transfer?region=items',
    prepare: (page) => chooseFile(page),
  },
  {
    name: 'import-done',
    address: 'transfer?region=items',
    prepare: async (page) => {
      await chooseFile(page);
      await page.getByRole('button', { name: 'Import into items' }).click();
      await page.getByText('succeeded').waitFor();
    },
  },
  {
    name: 'import-drop',
    address: 'transfer',
    prepare: (page) => page.getByText('Drop a file here').waitFor(),
  },
  {
    name: 'export',
    address: 'transfer?do=export&region=orders',
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Export orders' }).click();
      await page.getByText('Saved orders').waitFor();
    },
  },
];

/** Size of an image in the documentation, which is part of the package. */
const LARGEST_BYTES = 200 * 1024;
const WIDTHS = { wide: { width: 1280, height: 800 }, narrow: { width: 375, height: 720 } } as const;
/** Points of a chart; there is one every two seconds. */
const POINTS = 12;
const IMAGES = fileURLToPath(new URL('../../docs/images/', import.meta.url));

const [folder, only] = process.argv.slice(2);
await using console = await ConsoleUnderTest.start();
await mkdir(folder ?? IMAGES, { recursive: true });
for (const shot of SHOTS) {
  if (only !== undefined && !shot.name.includes(only)) continue;
  for (const theme of ['light', 'dark'] as const) {
    if (folder === undefined) {
      if (shot.isShown !== true) continue;
      const path = join(IMAGES, theme === 'light' ? `${shot.name}.png` : `${shot.name}-dark.png`);
      await take(shot, theme, 'wide', path);
      const { size } = await stat(path);
      if (size > LARGEST_BYTES) throw new Error(`${path} has ${size} bytes`);
    } else {
      for (const width of ['wide', 'narrow'] as const) {
        await take(shot, theme, width, join(folder, `${shot.name}-${theme}-${width}.png`));
      }
    }
  }
}

/** Sends requests and writes of several kinds until the charts show something. */
async function showTraffic(page: Page): Promise<void> {
  const client = new GridClient({ url: console.service.url });
  const orders = client.region('orders');
  const items = client.region('items');
  const line = page.locator('.sparkline polyline').first();
  await line.waitFor({ state: 'attached' });
  let points = 0;
  for (let i = 0; points < POINTS; i++) {
    const burst = 4 + Math.round(3 * Math.sin(i / 40));
    for (let n = 0; n < burst; n++) await orders.getMany([String(100_001 + ((i + n) % 900))]);
    if (i % 2 === 0) await items.put(`SKU-${i % 50}`, { name: 'Clay Pot', price: i });
    if (i % 7 === 0) await orders.put(`web-${i % 30}`, { status: 'placed', total: i });
    if (i % 20 === 0) await client.queries.named('revenue-by-status', ['2025-01-01']).rows();
    await new Promise((resolve) => setTimeout(resolve, 10));
    points = (await line.getAttribute('points'))?.split(' ').length ?? 0;
  }
}

async function comparePlans(page: Page): Promise<void> {
  const editor = page.getByRole('textbox', { name: 'Query' });
  const analyze = async (text: string): Promise<void> => {
    await editor.click();
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText(text);
    await page.getByRole('button', { name: 'Analyze' }).click();
    await page.getByText('It ran in').waitFor();
  };
  await analyze(
    "SELECT o.id, o.total FROM /orders o\nWHERE o.status = 'paid' AND o.customerId < 1010",
  );
  await page.getByRole('button', { name: 'Pin to compare' }).click();
  await analyze(
    "SELECT o.id, o.total FROM /orders o\nWHERE o.status = 'paid' AND o.customerId + 0 < 1010",
  );
  await page.getByRole('figure', { name: 'Pinned plan' }).waitFor();
}

async function showHistory(page: Page): Promise<void> {
  const client = new GridClient({ url: console.service.url });
  const outcome = await client.createRegion({
    name: 'prices',
    type: 'REPLICATE',
    keyConstraint: null,
    valueConstraint: null,
    settings: { history: { count: 1000 } },
  });
  const prices = client.region('prices');
  if (outcome === 'created') {
    await prices.put('tea', { eur: 4.5, supplier: 'Assam & Sons' });
    await prices.put('tea', { eur: 4.9, supplier: 'Assam & Sons', note: 'spring harvest' });
    await prices.remove('tea');
    await prices.put('tea', { eur: 5.2, supplier: 'Uji', note: 'spring harvest' });
    await prices.put('tea', { eur: 5.1, supplier: 'Uji', note: 'summer harvest' });
  }
  await page.reload();
  await page.getByRole('button', { name: 'History' }).click();
  await page.locator('.cm-changedLine, .cm-insertedLine').first().waitFor();
}

async function showChanges(page: Page): Promise<void> {
  const items = new GridClient({ url: console.service.url }).region('items');
  await page.getByText('Waiting for changes').waitFor();
  const pot = { name: 'Clay Pot', price: 7.9, stock: 3, tags: ['kitchen', 'clay'] };
  // The feed opens a moment after the page.
  while ((await page.getByRole('listitem').filter({ hasText: 'POT-1' }).count()) === 0) {
    await items.put('POT-1', pot);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  await items.put('LAMP-7', { name: 'Brass Lamp', price: 24, stock: 8 });
  await items.put('POT-1', { ...pot, price: 8.5, stock: 2, tags: ['kitchen'] });
  await items.remove('LAMP-7');
  await page.getByText('remove', { exact: true }).first().waitFor();
}

async function chooseFile(page: Page): Promise<void> {
  const rows = ['sku,name,price,stock', 'A-1001,"Cup, tin",1.50,12', 'A-1002,Clay Pot,7.90,3'];
  const content = [...rows, 'A-1003,Brass Lamp,24.00', 'A-1004,Oak Stool,39.00,8'].join('\n');
  await page.locator('input[type=file]').setInputFiles({
    name: 'items-2025.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(content),
  });
  await page.getByRole('cell', { name: 'A-1004', exact: true }).waitFor();
}

async function take(
  { address, prepare }: Shot,
  theme: Theme,
  width: keyof typeof WIDTHS,
  path: string,
): Promise<void> {
  await console.setTheme(theme);
  await console.page.setViewportSize(WIDTHS[width]);
  await console.load(address);
  await prepare(console.page);
  await console.page.screenshot({ path });
}
