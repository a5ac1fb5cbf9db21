// Change feeds: one page as JSON, or an endless stream.

import type { ChangeFeed, ChangeOperation, FeedChange } from '../../grid/index.ts';
import type { PermissionSet } from '../auth/permission.ts';
import type { ReadChanges } from '../intent/intent.ts';
import type { ApiRequest } from '../request/api-request.ts';
import { type ApiResponse, jsonResponse } from '../response/api-response.ts';
import { nextLink } from '../response/page-links.ts';
import { ChangePrinter } from '../streams/change-json.ts';
import type { StreamPiece } from '../streams/long-stream.ts';
import type { PrintedPage } from '../streams/shared-pages.ts';
import type { StreamForm } from '../streams/stream-form.ts';
import type { Api, Handler } from './handler.ts';

/** A page ends after the change that reaches this size. */
const PAGE_CHARACTERS = 4 * 1024 * 1024;

export const readChanges: Handler<'read-changes'> = async (intent, request, api) => {
  const feed = await api.grid.openFeed({
    regions: intent.regions,
    start: intent.start,
    where: intent.where,
    values: intent.values,
    accepts: createFilter(intent, request.principal.permissions),
  });
  return intent.form === 'json'
    ? respondWithPage(feed, intent, request, api)
    : respondWithStream(feed, intent, intent.form, request, api);
};

type Filter = (region: string, operation: ChangeOperation, key: string | undefined) => boolean;

/** A change of a whole region concerns every key, so every key filter passes it. */
function createFilter(
  { keys, operations, prefix }: ReadChanges,
  permissions: PermissionSet,
): Filter {
  const wantedKeys = keys && new Set(keys);
  const wantedOperations = operations && new Set(operations);
  const mayRead = createAccess(permissions);
  return (region, operation, key) => {
    if (wantedOperations?.has(operation) === false) return false;
    if (key === undefined) return mayRead(region, undefined);
    if (wantedKeys?.has(key) === false) return false;
    if (prefix !== undefined && !key.startsWith(prefix)) return false;
    return mayRead(region, key);
  };
}

/** Permissions are looked up once for each region, unless they name single keys. */
function createAccess(
  permissions: PermissionSet,
): (region: string, key: string | undefined) => boolean {
  if (permissions.allows(['DATA', 'READ'])) return () => true;
  const access = new Map<string, 'all' | 'keys' | 'none'>();
  const find = (region: string): 'all' | 'keys' | 'none' => {
    if (permissions.allows(['DATA', 'READ', region])) return 'all';
    return permissions.allowsSome(['DATA', 'READ', region]) ? 'keys' : 'none';
  };
  return (region, key) => {
    const known = access.get(region) ?? find(region);
    access.set(region, known);
    if (known !== 'keys' || key === undefined) return known !== 'none';
    return permissions.allows(['DATA', 'READ', region, key]);
  };
}

/** The existing changes; if there are none, those that come while the client waits. */
async function respondWithPage(
  feed: ChangeFeed,
  intent: ReadChanges,
  request: ApiRequest,
  api: Api,
): Promise<ApiResponse> {
  const isPolling = intent.waitMs > 0;
  if (isPolling) feed.subscribe();
  const page = new JsonPage(feed, intent.limit);
  try {
    await page.fill();
    if (page.isEmpty && isPolling) await pollForPage(feed, page, intent.waitMs, request, api);
  } finally {
    feed.close();
  }
  const next = `${request.origin}${intent.address}since=${feed.resumeAfter}`;
  return jsonResponse(page.print(), ['Link', nextLink(next)]);
}

async function pollForPage(
  feed: ChangeFeed,
  page: JsonPage,
  waitMs: number,
  request: ApiRequest,
  { longPolls }: Api,
): Promise<void> {
  const permit = longPolls.wait('changes', request.principal, request.socket);
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), waitMs);
  const signal = AbortSignal.any([request.signal, permit.ended, timeout.signal]);
  try {
    // The filter may drop all new changes; then the request waits for its remaining time.
    while (page.isEmpty && (await feed.wait(signal))) await page.fill();
  } finally {
    clearTimeout(timer);
    permit.release();
  }
}

/** Collects changes up to the limit. */
class JsonPage {
  readonly #feed: ChangeFeed;
  readonly #limit: number;
  readonly #printer = new ChangePrinter();
  #elements: string[] = [];
  #characters = 0;

  constructor(feed: ChangeFeed, limit: number) {
    this.#feed = feed;
    this.#limit = limit;
  }

  get isEmpty(): boolean {
    return this.#elements.length === 0;
  }

  /** Reads up to the limit, or to the end of the log. */
  async fill(): Promise<void> {
    for (let isLast = false; !isLast && this.#hasRoom; ) {
      const page = await this.#feed.read(this.#limit - this.#elements.length);
      if (!this.#take(page.changes)) return;
      isLast = page.isLast;
    }
  }

  print(): string {
    return `{"changes":[${this.#elements.join(',')}],"next":${this.#feed.resumeAfter}}`;
  }

  get #hasRoom(): boolean {
    return this.#elements.length < this.#limit && this.#characters < PAGE_CHARACTERS;
  }

  /** False when the first commit does not fit: it is left to the next page. */
  #take(changes: readonly FeedChange[]): boolean {
    const [first] = changes;
    if (
      first !== undefined &&
      !this.isEmpty &&
      this.#elements.length + changes.length > this.#limit
    ) {
      this.#feed.skipTo(first.sequence - 1);
      return false;
    }
    for (const change of changes) {
      const json = this.#printer.print(change);
      this.#characters += json.length;
      this.#elements.push(json);
    }
    return true;
  }
}

function respondWithStream(
  feed: ChangeFeed,
  intent: ReadChanges,
  form: StreamForm,
  { principal }: ApiRequest,
  { feedPages }: Api,
): ApiResponse {
  const { keys, operations, prefix, regions, values, where } = intent;
  // Everything that determines which changes are shown, and how.
  const selection = JSON.stringify([regions, values, where, keys, prefix, operations]);
  const view = feedPages.nameView(selection, principal.permissions);
  return {
    status: 200,
    headers: [],
    body: undefined,
    longStream: {
      kind: 'changes',
      form,
      heartbeatMs: intent.heartbeatMs,
      resumeId: () => String(feed.resumeAfter),
      pieces: (signal) => streamPages(feed, () => feedPages.read(feed, view, form), signal),
    },
  };
}

/** Pages up to the end of the log, and then new ones as commits come. */
async function* streamPages(
  feed: ChangeFeed,
  readPage: () => Promise<PrintedPage>,
  signal: AbortSignal,
): AsyncGenerator<StreamPiece> {
  feed.subscribe();
  try {
    while (!signal.aborted) {
      const page = await readPage();
      if (page.events > 0) yield page;
      if (page.isLast && !(await feed.wait(signal))) return;
    }
  } finally {
    feed.close();
  }
}
