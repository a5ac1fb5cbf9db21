// A real service with the sample grid and a real browser on its console, for the
// tests of screens. Whatever a policy blocks, every error in the page and every
// request that goes elsewhere is an incident.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Locator, Page } from 'playwright-core';
import { WatchedBrowser } from '../browser/watched-browser.ts';
import { SampleService, type SampleSettings } from './sample-service.ts';

export type Theme = 'light' | 'dark';

/** Generous: a loaded machine is slow. A condition that holds ends the wait. */
const LONGEST_WAIT_MS = 60_000;

export class ConsoleUnderTest implements AsyncDisposable {
  readonly service: SampleService;
  readonly page: Page;
  readonly #browser: WatchedBrowser;

  private constructor(service: SampleService, browser: WatchedBrowser, page: Page) {
    this.service = service;
    this.#browser = browser;
    this.page = page;
  }

  /** The page is open, but at no address yet. */
  static async start(settings: SampleSettings = {}): Promise<ConsoleUnderTest> {
    const service = await SampleService.start(settings);
    const browser = await WatchedBrowser.open(service.url, {
      viewport: { width: 1280, height: 800 },
      reducedMotion: 'reduce',
      locale: 'en-GB',
    });
    const page = await browser.context.newPage();
    page.setDefaultTimeout(LONGEST_WAIT_MS);
    return new ConsoleUnderTest(service, browser, page);
  }

  /** `overview`, `regions/orders/entries?key=7`. */
  async open(address: string): Promise<void> {
    const url = `${this.service.url}/console/#/${address}`;
    // The part behind `#` alone would load nothing.
    await this.page.goto('about:blank');
    await this.page.goto(url);
  }

  /** Waits until the text is on the page. */
  async see(text: string | RegExp): Promise<void> {
    await this.page.getByText(text).first().waitFor();
  }

  button(name: string | RegExp): Locator {
    return this.page.getByRole('button', { name });
  }

  async setTheme(theme: Theme): Promise<void> {
    await this.page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
  }

  /** axe finds nothing on the page as it is, in both themes. */
  async expectAccessible(): Promise<void> {
    await this.setTheme('light');
    assert.deepEqual(await findBarriers(this.page, '{}'), [], 'in the light theme');
    // The themes differ in their colours alone.
    await this.setTheme('dark');
    const colours = '{ runOnly: ["color-contrast"] }';
    assert.deepEqual(await findBarriers(this.page, colours), [], 'in the dark theme');
    await this.setTheme('light');
  }

  /** The page is not wider than a narrow window. */
  async expectFitsNarrow(): Promise<void> {
    await this.page.setViewportSize({ width: 375, height: 700 });
    const width = await this.page.evaluate('document.documentElement.scrollWidth');
    assert.equal(width, 375);
    await this.page.setViewportSize({ width: 1280, height: 800 });
  }

  /** What must not happen, since the last call. */
  incidents(): readonly string[] {
    return this.#browser.take();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#browser[Symbol.asyncDispose]();
    await this.service[Symbol.asyncDispose]();
  }
}

let axeSource: Promise<string> | undefined;

async function findBarriers(page: Page, options: string): Promise<readonly string[]> {
  axeSource ??= readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(await axeSource);
  // As axe documents its result.
  const { violations } = (await page.evaluate(`axe.run(${options})`)) as {
    violations: readonly {
      id: string;
      nodes: readonly { html: string; failureSummary: string }[];
    }[];
  };
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ failureSummary, html }) => `${id}: ${html} ${failureSummary}`),
  );
}
