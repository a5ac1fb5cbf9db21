// Prints a query as a command or as code.

import type { Parameter, Parameters } from '../../../src/client/index.ts';

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
  const argument = isEmpty(parameters) ? '' : `, ${printAll(parameters, printCode)}`;
  return `import { GridClient } from 'gridkeep/client';

const client = new GridClient({ url: ${JSON.stringify(url)} });
const rows = await client.queries.adhoc(${JSON.stringify(text)}${argument}).rows();`;
}

function addressOf({ url }: CopiedQuery): string {
  return `${url}/grid-api/v1/queries/adhoc`;
}

function bodyOf({ parameters, text }: CopiedQuery): string {
  const params = isEmpty(parameters) ? '' : `,"params":${printAll(parameters, printJson)}`;
  return `{"oql":${JSON.stringify(text)}${params}}`;
}

function isEmpty(parameters: Parameters): boolean {
  return Object.keys(parameters).length === 0;
}

function printAll(parameters: Parameters, print: (parameter: Parameter) => string): string {
  if (isList(parameters)) return `[${parameters.map(print).join()}]`;
  const members = Object.entries(parameters).map(
    ([name, parameter]) => `${JSON.stringify(name)}:${print(parameter)}`,
  );
  return `{${members.join()}}`;
}

/** As the API takes it. Large integers keep their digits; what JSON has no type for is typed. */
function printJson(parameter: Parameter): string {
  if (typeof parameter === 'bigint') return String(parameter);
  if (typeof parameter !== 'object' || parameter === null) return JSON.stringify(parameter);
  if (parameter instanceof Date) return printTyped('date', JSON.stringify(parameter));
  if (isList(parameter)) return printTyped('list', `[${parameter.map(printJson).join()}]`);
  return printTyped(parameter.type, JSON.stringify(parameter.value));
}

function printTyped(type: string, value: string): string {
  return `{"@type":${JSON.stringify(type)},"@value":${value}}`;
}

/** As the client takes it. */
function printCode(parameter: Parameter): string {
  if (typeof parameter === 'bigint') return `${parameter}n`;
  if (parameter instanceof Date) return `new Date(${JSON.stringify(parameter)})`;
  return isList(parameter) ? `[${parameter.map(printCode).join()}]` : JSON.stringify(parameter);
}

function isList(value: Parameter | Parameters): value is readonly Parameter[] {
  return Array.isArray(value);
}
