// An answer to a write that is made before the write is: all but the number of the commit. It is
// kept with the commit for requests that carry an idempotency key.

import type { ApiResponse } from './api-response.ts';

/** Stands for the number of the commit; no header and no JSON text holds it as it is. */
export const VERSION = '\0';

export interface AnswerTemplate {
  readonly status: number;
  readonly headers: readonly string[];
  readonly body?: string | undefined;
}

/** A longer body is not kept: a repeat gets status and headers alone. */
const MAX_KEPT_CHARACTERS = 64 * 1024;

export function fillAnswer(template: AnswerTemplate, version: number): ApiResponse {
  const number = String(version);
  return {
    status: template.status,
    headers: template.headers.map((header) =>
      header.includes(VERSION) ? header.replaceAll(VERSION, number) : header,
    ),
    body: template.body?.replaceAll(VERSION, number),
  };
}

/** As JSON, with the digest of the request that it answers. */
export function printTemplate({ body, headers, status }: AnswerTemplate, digest: string): string {
  const isKept = body === undefined || body.length <= MAX_KEPT_CHARACTERS;
  return JSON.stringify({ digest, status, headers, body: isKept ? body : undefined });
}

export function parseTemplate(text: string): AnswerTemplate & { readonly digest: string } {
  // Written by `printTemplate` alone.
  return JSON.parse(text) as AnswerTemplate & { readonly digest: string };
}
