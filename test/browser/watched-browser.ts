// A real browser that tells of every script that ran, everything a policy
// blocked and every request that went elsewhere.

import { EventEmitter, once } from 'node:events';
import type { Browser, BrowserContext, BrowserContextOptions } from 'playwright-core';
import { launchBrowser } from './launch-browser.ts';

export class WatchedBrowser implements AsyncDisposable {
  readonly context: BrowserContext;
  /** Closed with it. */
  readonly #own: Browser | undefined;
  /** What must not happen, in words. */
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

  /** Pages of their own in a browser that others share; it stays open. */
  static async watch(
    browser: Browser,
    origin: string,
    options: BrowserContextOptions = {},
  ): Promise<WatchedBrowser> {
    const watched = new WatchedBrowser(await browser.newContext(options));
    await watched.#watch(origin);
    return watched;
  }

  /** What happened since the last call. */
  take(): readonly string[] {
    return this.#incidents.splice(0);
  }

  /** The same, once anything has happened. */
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
    // Before any script of the page, and whatever its policy says.
    await context.addInitScript({
      content: `addEventListener('securitypolicyviolation', (event) =>
        tellIncident('blocked: ' + event.effectiveDirective + ' ' + event.blockedURI));`,
    });
  }
}
