// A real service with the sample grid and a real browser on its console, for the tests of screens.
// Everything that a policy blocks, every error in the page and every request to another origin is an
// incident.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Browser, Locator, Page } from 'playwright-core';
import { launchBrowser } from '../browser/launch-browser.ts';
import { WatchedBrowser } from '../browser/watched-browser.ts';
import { SampleService, type SampleSettings } from './sample-service.ts';

export type Theme = 'light' | 'dark';

/** The tests of a screen share a page, so they run one after another. */
export const IN_TURN = { concurrency: 1 } as const;

/** Generous for a loaded machine; a wait ends as soon as its condition holds. */
const LONGEST_WAIT_MS = 60_000;

/** More than any screen has controls. */
const MOST_TABS = 80;

/** One browser for all concurrent users, whose pages are isolated from each other. */
let shared: { readonly browser: Promise<Browser>; users: number } | undefined;

async function takeBrowser(): Promise<Browser> {
  shared ??= { browser: launchBrowser(), users: 0 };
  shared.users += 1;
  return shared.browser;
}

async function leaveBrowser(): Promise<void> {
  if (shared === undefined) return;
  shared.users -= 1;
  if (shared.users > 0) return;
  const { browser } = shared;
  shared = undefined;
  await (await browser).close();
}

export class ConsoleUnderTest implements AsyncDisposable {
  readonly service: SampleService;
  readonly page: Page;
  readonly #browser: WatchedBrowser;
  /** Addresses of screens that axe checked with all rules. */
  readonly #checked = new Set<string>();

  private constructor(service: SampleService, browser: WatchedBrowser, page: Page) {
    this.service = service;
    this.#browser = browser;
    this.page = page;
  }

  /** Opens the page without an address. */
  static async start(settings: SampleSettings = {}): Promise<ConsoleUnderTest> {
    const service = await SampleService.start(settings);
    const browser = await WatchedBrowser.watch(await takeBrowser(), service.url, {
      viewport: { width: 1280, height: 800 },
      reducedMotion: 'reduce',
      locale: 'en-GB',
    });
    const page = await browser.context.newPage();
    page.setDefaultTimeout(LONGEST_WAIT_MS);
    return new ConsoleUnderTest(service, browser, page);
  }

  /**
   * Shows a screen as a link does: `overview`, `regions/orders/entries?key=7`. It loads the page if it
   * shows no screen, or already this one.
   */
  async open(address: string): Promise<void> {
    const url = this.#urlOf(address);
    const shown = String(await this.page.evaluate('location.href'));
    if (shown === url || !shown.startsWith(this.#urlOf(''))) await this.load(address);
    else await this.page.evaluate(`location.href = ${JSON.stringify(url)}`);
  }

  /** Loads the page new, so that nothing is left of logins, dialogs and edits. */
  async load(address: string): Promise<void> {
    // Changing only the part after `#` would load nothing.
    await this.page.goto('about:blank');
    await this.page.goto(this.#urlOf(address));
  }

  #urlOf(address: string): string {
    return `${this.service.url}/console/#/${address}`;
  }

  /** Waits until the text is on the page. */
  async see(text: string | RegExp): Promise<void> {
    await this.page.getByText(text).first().waitFor();
  }

  button(name: string | RegExp): Locator {
    return this.page.getByRole('button', { name });
  }

  /** Presses Tab until the control has the focus. */
  async tabTo(control: Locator): Promise<void> {
    await control.waitFor();
    for (let presses = 0; presses < MOST_TABS; presses += 1) {
      if (await control.evaluate((element) => element.matches(':focus-within'))) return;
      await this.page.keyboard.press('Tab');
    }
    assert.fail(`${control} is not reached by keyboard`);
  }

  async setTheme(theme: Theme): Promise<void> {
    await this.page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
  }

  /**
   * Asserts that axe finds nothing on the page. The rules for colours, which are all that a theme
   * affects and take longest, are checked in both themes when a screen is shown for the first time.
   * Later only the open dialog is checked, or else the screen without its frame. Without `TEST_SHARE`
   * the whole page is always checked, colours too, and a new screen with all rules in both themes.
   */
  async expectAccessible(): Promise<void> {
    const [screen = ''] = this.page.url().split('?');
    const isNew = !this.#checked.has(screen);
    const isWhole = process.env['TEST_SHARE'] === undefined;
    this.#checked.add(screen);
    if (isNew || isWhole) {
      await this.#expectNoBarriers('dark', ALL_RULES);
      await this.#expectNoBarriers('light', isNew && isWhole ? ALL_RULES : COLOUR_RULES);
    } else await this.#expectNoBarriers('light', OTHER_RULES, NEW_PART);
  }

  async #expectNoBarriers(theme: Theme, options: string, part = 'document'): Promise<void> {
    await this.setTheme(theme);
    assert.deepEqual(await findBarriers(this.page, part, options), [], `in the ${theme} theme`);
  }

  /** Asserts that the page is not wider than a narrow window. */
  async expectFitsNarrow(): Promise<void> {
    await this.page.setViewportSize({ width: 375, height: 700 });
    const width = await this.page.evaluate('document.documentElement.scrollWidth');
    assert.equal(width, 375);
    await this.page.setViewportSize({ width: 1280, height: 800 });
  }

  /** Asserts that no table hides a column in a window of this width. */
  async expectTablesFit(width: number): Promise<void> {
    await this.page.setViewportSize({ width, height: 800 });
    const hidden = await this.page
      .locator('.table-frame')
      .evaluateAll((frames) =>
        frames.map(({ clientWidth, scrollWidth }) => scrollWidth - clientWidth),
      );
    assert.ok(hidden.length > 0 && hidden.every((pixels) => pixels === 0), `${width}: ${hidden}`);
    await this.page.setViewportSize({ width: 1280, height: 800 });
  }

  /** Incidents since the last call. */
  incidents(): readonly string[] {
    return this.#browser.take();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#browser[Symbol.asyncDispose]();
    await leaveBrowser();
    await this.service[Symbol.asyncDispose]();
  }
}

let axeSource: Promise<string> | undefined;

/** Omits passed rules, and does not load the styles of the page again. */
const QUICK = "resultTypes: ['violations'], elementRef: false, preload: false";
const ALL_RULES = `{ ${QUICK} }`;
/** Rules that depend on the theme. */
const COLOURS = ['color-contrast', 'link-in-text-block'];
const COLOUR_RULES = `{ ${QUICK}, runOnly: ${JSON.stringify(COLOURS)} }`;
const OTHER_RULES = `{ ${QUICK}, rules: {
  ${COLOURS.map((name) => `'${name}': { enabled: false }`).join(', ')}
} }`;

/** What changes on a screen that was checked before. */
const NEW_PART = "document.querySelector('dialog[open]') ?? document.querySelector('main')";

async function findBarriers(page: Page, part: string, options: string): Promise<readonly string[]> {
  axeSource ??= readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(await axeSource);
  // The documented shape of the result of axe.
  const { violations } = (await page.evaluate(`axe.run(${part}, ${options})`)) as {
    violations: readonly {
      id: string;
      nodes: readonly { html: string; failureSummary: string }[];
    }[];
  };
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ failureSummary, html }) => `${id}: ${html} ${failureSummary}`),
  );
}
