// Prints a query as a command or as code.

import type { Parameters } from '../../../src/client/index.ts';

export type CopyForm = 'curl' | 'fetch' | 'typescript';

export interface CopiedQuery {
  /** Address of the service. */
  readonly url: string;
  readonly text: string;
  readonly parameters: Parameters;
}

export function copyAs(form: CopyForm, query: CopiedQuery): string {
  switch (form) {
    case 'curl':
      return copyCurl(query);
    case 'fetch':
      return copyFetch(query);
    case 'typescript':
      return copyTypeScript(query);
  }
}

function copyCurl(query: CopiedQuery): string {
  const body = bodyOf(query).replaceAll("'", String.raw`'\''`);
  return [
    `curl '${addressOf(query)}' \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d '${body}'`,
  ].join('\n');
}

function copyFetch(query: CopiedQuery): string {
  return `const answer = await fetch(${JSON.stringify(addressOf(query))}, {
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: ${JSON.stringify(bodyOf(query))},
});
const rows = await answer.json();`;
}

function copyTypeScript({ parameters, text, url }: CopiedQuery): string {
  const given = isEmpty(parameters) ? '' : `, ${printJson(parameters)}`;
  return `import { GridClient } from 'gridkeep/client';

const client = new GridClient({ url: ${JSON.stringify(url)} });
const rows = await client.queries.adhoc(${JSON.stringify(text)}${given}).rows();`;
}

function addressOf({ url }: CopiedQuery): string {
  return `${url}/grid-api/v1/queries/adhoc`;
}

function bodyOf({ parameters, text }: CopiedQuery): string {
  const params = isEmpty(parameters) ? '' : `,"params":${printJson(parameters)}`;
  return `{"oql":${JSON.stringify(text)}${params}}`;
}

function isEmpty(parameters: Parameters): boolean {
  return Object.keys(parameters).length === 0;
}

/** Large integers keep their digits; dates are ISO texts. */
function printJson(value: unknown): string {
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return `[${value.map(printJson).join()}]`;
  if (typeof value === 'object' && value !== null && !(value instanceof Date)) {
    const members = Object.entries(value).map(
      ([name, part]) => `${JSON.stringify(name)}:${printJson(part)}`,
    );
    return `{${members.join()}}`;
  }
  return JSON.stringify(value);
}
