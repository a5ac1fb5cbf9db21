// Files that browsers load, such as those of a page: bytes with a media type and
// an entity tag, answered with the headers that a page needs.

import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { findUnchanged } from '../request/preconditions.ts';
import { type ApiResponse, emptyResponse, textResponse } from './api-response.ts';

export const HTML_FILE = 'text/html; charset=utf-8';
export const CSS_FILE = 'text/css; charset=utf-8';
export const SCRIPT_FILE = 'text/javascript; charset=utf-8';

export interface StaticFile {
  readonly contentType: string;
  readonly bytes: Uint8Array;
  /** A strong entity tag of the bytes. */
  readonly tag: string;
}

/** A page may load from and connect to this service only; styles may have `data:` icons. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const PAGE_HEADERS = [
  'Content-Security-Policy',
  CONTENT_SECURITY_POLICY,
  'X-Content-Type-Options',
  'nosniff',
  'Referrer-Policy',
  'no-referrer',
  'Cache-Control',
];

/**
 * `revalidate`: browsers revalidate each time and get 304, so an update of the service shows at
 * once. `immutable`: the name changes with the content, so browsers never revalidate.
 */
export type Caching = 'revalidate' | 'immutable';

const CACHE_CONTROL: Readonly<Record<Caching, string>> = {
  revalidate: 'no-cache',
  immutable: 'public, max-age=31536000, immutable',
};

export function staticFileResponse(
  file: StaticFile,
  { caching, ifNoneMatch }: { readonly caching: Caching; readonly ifNoneMatch: string | undefined },
): ApiResponse {
  const unchanged = findUnchanged(ifNoneMatch, file.tag);
  const headers = [...PAGE_HEADERS, CACHE_CONTROL[caching], 'ETag', unchanged ?? file.tag];
  const answer =
    unchanged === undefined
      ? textResponse(file.contentType, file.bytes, headers)
      : emptyResponse(304, headers);
  return { ...answer, ownSecurityHeaders: true };
}

const CONTENT_TYPES: ReadonlyMap<string, string> = new Map([
  ['.html', HTML_FILE],
  ['.css', CSS_FILE],
  ['.js', SCRIPT_FILE],
  ['.svg', 'image/svg+xml'],
]);

/** The files of a page, each read once, on first use. */
export class SiteFiles {
  readonly #locate: (name: string) => string | undefined;
  readonly #read = new Map<string, Promise<StaticFile>>();

  /** `locate` gives the path of a file on disk; undefined when the page has no such file. */
  constructor(locate: (name: string) => string | undefined) {
    this.#locate = locate;
  }

  /**
   * By the path below that of the page, empty for the page itself; undefined when there is none.
   * Rejects when the file cannot be read; the next call tries again.
   */
  find(name: string): Promise<StaticFile> | undefined {
    const path = this.#locate(name);
    const contentType = CONTENT_TYPES.get(extname(path ?? ''));
    if (path === undefined || contentType === undefined) return undefined;
    const reading = this.#read.get(path) ?? readStaticFile(path, contentType);
    this.#read.set(path, reading);
    reading.catch(() => this.#read.delete(path));
    return reading;
  }
}

async function readStaticFile(path: string, contentType: string): Promise<StaticFile> {
  const bytes = await readFile(path);
  return { contentType, bytes, tag: `"${hash('sha256', bytes, 'base64url').slice(0, 22)}"` };
}
