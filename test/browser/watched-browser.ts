// A real browser that reports every script that ran, everything that a policy blocked, and every request
// to another origin.

import { EventEmitter, once } from 'node:events';
import type { Browser, BrowserContext, BrowserContextOptions } from 'playwright-core';
import { launchBrowser } from './launch-browser.ts';

export class WatchedBrowser implements AsyncDisposable {
  readonly context: BrowserContext;
  /** Closed with it. */
  readonly #own: Browser | undefined;
  /** Incidents: things that must not happen, as texts. */
  readonly #incidents: string[] = [];
  readonly #events = new EventEmitter();

  private constructor(context: BrowserContext, own?: Browser) {
    this.context = context;
    this.#own = own;
  }

  /** Requests to any other origin are incidents. */
  static async open(origin: string, options: BrowserContextOptions = {}): Promise<WatchedBrowser> {
    const browser = await launchBrowser();
    const watched = new WatchedBrowser(await browser.newContext(options), browser);
    await watched.#watch(origin);
    return watched;
  }

  /** Separate pages in a shared browser, which stays open. */
  static async watch(
    browser: Browser,
    origin: string,
    options: BrowserContextOptions = {},
  ): Promise<WatchedBrowser> {
    const watched = new WatchedBrowser(await browser.newContext(options));
    await watched.#watch(origin);
    return watched;
  }

  /** Incidents since the last call. */
  take(): readonly string[] {
    return this.#incidents.splice(0);
  }

  /** Waits for an incident, and returns them. */
  async takeOne(): Promise<readonly string[]> {
    if (this.#incidents.length === 0) await once(this.#events, 'incident');
    return this.take();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.context.close();
    await this.#own?.close();
  }

  async #watch(origin: string): Promise<void> {
    const { context } = this;
    const tell = (incident: string): void => {
      this.#incidents.push(incident);
      this.#events.emit('incident');
    };
    context.on('dialog', (dialog) => {
      if (dialog.type() === 'beforeunload') {
        tell('asked before leaving the page');
        void dialog.accept();
        return;
      }
      tell(`ran: ${dialog.message()}`);
      void dialog.dismiss();
    });
    context.on('weberror', (error) => tell(`failed: ${error.error().message}`));
    context.on('request', (request) => {
      const url = request.url();
      const isOurs = url.startsWith(`${origin}/`) || /^(about|data|blob):/.test(url);
      if (!isOurs) tell(`asked: ${url}`);
    });
    await context.exposeBinding('tellIncident', (_source, text: string) => {
      tell(text);
    });
    // Runs before any script of the page, regardless of its policy.
    await context.addInitScript({
      content: `addEventListener('securitypolicyviolation', (event) =>
        tellIncident('blocked: ' + event.effectiveDirective + ' ' + event.blockedURI));`,
    });
  }
}
