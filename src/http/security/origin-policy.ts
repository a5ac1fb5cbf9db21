// Restricts requests from pages of other sites: what their scripts may send, and which answers they
// may read. Without a CORS setting they may neither change nor read anything, nor cause work; only
// links to our pages work.

import { foreignOrigin } from '../errors.ts';
import { hasBody } from '../request/body.ts';
import type { IncomingRequest } from '../request/incoming-request.ts';
import type { ApiResponse } from '../response/api-response.ts';
import type { Route } from '../router.ts';

const READABLE_HEADERS =
  'Accept-Patch, Accept-Query, ETag, Idempotent-Replayed, Link, Location, Content-Location, ' +
  'Preference-Applied, Query-Warnings, Resource-Count, Retry-After, WWW-Authenticate, X-Request-Id';
const SENDABLE_HEADERS =
  'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, Prefer, ' +
  'X-Api-Key, X-Request-Id';
/** Other sites may link to the routes that produce it. */
const PAGE_TYPE = 'text/html';
/** Seconds a browser may remember the answer to a preflight. */
const PREFLIGHT_SECONDS = 600;

export class OriginPolicy {
  readonly #allowed: ReadonlySet<string>;

  constructor(allowed: readonly string[]) {
    this.#allowed = new Set(allowed.map((origin) => origin.toLowerCase()));
  }

  /** Throws `request/foreign-origin`. Clients other than browsers send neither header. */
  check(request: IncomingRequest, route: Route): void {
    const { origin, 'sec-fetch-site': site } = request.headers;
    if (origin === undefined && site === undefined) return;
    if (site === 'same-origin') return;
    if (!changesOrHasBody(request)) {
      if (site === 'cross-site') this.#checkCrossSiteRead(request, route);
      return;
    }
    if (origin === undefined ? site !== 'cross-site' : this.#isAllowed(origin)) return;
    if (origin === undefined || site === 'cross-site' || !isOurs(origin, request)) {
      throw foreignOrigin(origin ?? 'cross-site');
    }
  }

  /** Reads cost too: a link with a query in it would run for every visitor of a page. */
  #checkCrossSiteRead({ headers }: IncomingRequest, route: Route): void {
    const { origin, 'sec-fetch-dest': dest, 'sec-fetch-mode': mode } = headers;
    if (origin !== undefined && this.#isAllowed(origin)) return;
    const isLink = mode === 'navigate' && (dest ?? 'document') === 'document';
    if (isLink && route.produces?.includes(PAGE_TYPE) === true) return;
    throw foreignOrigin(origin ?? 'cross-site');
  }

  /** Adds the headers that let an allowed page read the answer. */
  share(request: IncomingRequest, response: ApiResponse): ApiResponse {
    const { origin } = request.headers;
    if (origin === undefined || this.#allowed.size === 0) return response;
    // Caches must not serve one origin the answer to another.
    const headers = [...response.headers, 'Vary', 'Origin'];
    if (this.#isAllowed(origin)) {
      headers.push('Access-Control-Allow-Origin', origin);
      headers.push('Access-Control-Expose-Headers', READABLE_HEADERS);
    }
    return { ...response, headers };
  }

  /** Further headers of an answer to OPTIONS: what an allowed page may send. */
  preflight({ headers }: IncomingRequest, methods: readonly string[]): readonly string[] {
    const { origin, 'access-control-request-method': method } = headers;
    if (origin === undefined || method === undefined || !this.#isAllowed(origin)) return [];
    return [
      'Access-Control-Allow-Methods',
      methods.join(', '),
      'Access-Control-Allow-Headers',
      SENDABLE_HEADERS,
      'Access-Control-Max-Age',
      String(PREFLIGHT_SECONDS),
    ];
  }

  #isAllowed(origin: string): boolean {
    return this.#allowed.has(origin.toLowerCase());
  }
}

/** The scheme is not compared: with a proxy that terminates TLS it differs from ours. */
function isOurs(origin: string, request: IncomingRequest): boolean {
  const host = hostOf(origin);
  if (host === undefined) return false;
  return host === request.headers.host?.toLowerCase() || host === hostOf(request.origin);
}

function hostOf(address: string): string | undefined {
  return /^https?:\/\/([^/]+)/i.exec(address)?.[1]?.toLowerCase();
}

function changesOrHasBody(request: IncomingRequest): boolean {
  const { method } = request;
  if (method === 'OPTIONS') return false;
  return (method !== 'GET' && method !== 'HEAD') || hasBody(request);
}
