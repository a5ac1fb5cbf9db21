// An answer to a write, built before the commit and without its number. It is stored in the commit,
// for requests with an idempotency key.

import type { ApiResponse } from './api-response.ts';

/** Placeholder for the number of the commit; it occurs unescaped in no header and no JSON text. */
export const VERSION = '\0';

/** Placeholder for the address of the service, which may change before a repeat. */
const BASE = '\u0001';

export interface AnswerTemplate {
  readonly status: number;
  readonly contentType?: string | undefined;
  readonly headers: readonly string[];
  readonly body?: string | undefined;
}

/** A longer body is not stored: a repeat gets only status and headers. */
const MAX_STORED_CHARACTERS = 64 * 1024;

export function fillAnswer(template: AnswerTemplate, version: number): ApiResponse {
  const number = String(version);
  return {
    status: template.status,
    contentType: template.contentType,
    headers: template.headers.map((header) =>
      header.includes(VERSION) ? header.replaceAll(VERSION, number) : header,
    ),
    body: template.body?.replaceAll(VERSION, number),
  };
}

/** As JSON, with the digest of the request that it answers. */
export function printTemplate(
  { body, headers, ...head }: AnswerTemplate,
  digest: string,
  base: string,
): string {
  const isStored = body === undefined || body.length <= MAX_STORED_CHARACTERS;
  const relative = headers.map((header) => replaceStart(header, base, BASE));
  return JSON.stringify({ digest, ...head, headers: relative, body: isStored ? body : undefined });
}

/** Addresses begin with `base`, that of the repeat. */
export function parseTemplate(
  text: string,
  base: string,
): AnswerTemplate & { readonly digest: string } {
  // Written by `printTemplate` alone.
  const template = JSON.parse(text) as AnswerTemplate & { readonly digest: string };
  const headers = template.headers.map((header) => replaceStart(header, BASE, base));
  return { ...template, headers };
}

function replaceStart(text: string, start: string, replacement: string): string {
  return text.startsWith(start) ? replacement + text.slice(start.length) : text;
}
