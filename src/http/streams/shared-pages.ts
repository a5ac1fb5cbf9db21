// Cache of printed pages, shared by feeds with the same view and position: a hundred consumers that
// wait for the next change of a region cost one read of the log.

import type { ChangeFeed } from '../../grid/index.ts';
import type { PermissionSet } from '../auth/permission.ts';
import { printChanges } from './change-json.ts';
import type { StreamForm } from './stream-form.ts';

export interface PrintedPage {
  readonly bytes: Uint8Array;
  readonly events: number;
  readonly lastId: string | undefined;
  readonly through: number;
  readonly isLast: boolean;
}

/** Limit of the cache; a page may be somewhat larger than `PAGE_BYTES` of the grid. */
const MAX_BYTES = 4 * 1024 * 1024;
const MAX_PAGES = 64;

export class SharedPages {
  readonly #pages = new Map<string, Promise<PrintedPage>>();
  /** A login that may read only some keys shares pages with no other login. */
  readonly #permissionNumbers = new WeakMap<PermissionSet, number>();
  #lastNumber = 0;
  #bytes = 0;

  /** The key under which feeds share pages: feeds with the same filter and the same permissions. */
  nameView(selection: string, permissions: PermissionSet): string {
    if (permissions.allows(['DATA', 'READ'])) return selection;
    const existing = this.#permissionNumbers.get(permissions);
    const number = existing ?? this.#lastNumber + 1;
    if (existing === undefined) {
      this.#lastNumber = number;
      this.#permissionNumbers.set(permissions, number);
    }
    return `${number} ${selection}`;
  }

  /** The next page of the feed. Feeds of one `view` select and print the same. */
  async read(feed: ChangeFeed, view: string, form: StreamForm): Promise<PrintedPage> {
    const key = `${form} ${feed.resets} ${feed.resumeAfter} ${view}`;
    const cached = this.#pages.get(key);
    if (cached !== undefined) {
      const page = await cached;
      feed.skipTo(page.through);
      return page;
    }
    const reading = readPage(feed, form);
    this.#pages.set(key, reading);
    try {
      const page = await reading;
      // An empty page at the end of the log is not worth caching.
      if (page.events === 0) this.#pages.delete(key);
      else this.#limitMemory(page);
      return page;
    } catch (error) {
      this.#pages.delete(key);
      throw error;
    }
  }

  /** Empties the cache when this page exceeds its limit. */
  #limitMemory(page: PrintedPage): void {
    this.#bytes += page.bytes.length;
    if (this.#bytes <= MAX_BYTES && this.#pages.size <= MAX_PAGES) return;
    // Feeds at the end of the log share the latest pages; others rarely share any.
    this.#pages.clear();
    this.#bytes = 0;
  }
}

async function readPage(feed: ChangeFeed, form: StreamForm): Promise<PrintedPage> {
  const { changes, isLast, through } = await feed.read();
  return {
    bytes: Buffer.from(printChanges(form, changes)),
    events: changes.length,
    lastId: form === 'event-stream' ? changes.at(-1)?.sequence.toString() : undefined,
    through,
    isLast,
  };
}
