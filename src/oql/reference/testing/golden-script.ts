// Golden scripts: data, queries and their results in one text file.
//
//     region orders                 a region (`region r EMPTY` gives it a type), then its entries
//     1 {"id":1,"total":20.0}
//
//     > SELECT o.id                 a query, over as many `>` lines as it takes
//     > FROM /orders o
//     $ 5 "abc"                     its bind parameters as JSON, if it has any
//     [1]                           the result: one row a line, or `! code` for a failure
//
// Lines that start with `#` are comments. A blank line ends a block.

import { parseJson } from '../../../value/json-parse.ts';
import { printJson, printText } from '../../../value/json-print.ts';
import type { RegionType } from '../../../value/region-words.ts';
import {
  Char,
  Document,
  Entry,
  isList,
  Struct,
  Temporal,
  UNDEFINED,
  type Value,
  ValueSet,
} from '../../../value/value.ts';
import { OqlError } from '../../errors.ts';
import type { SourceEntry } from '../query-source.ts';
import type { MemoryRegion } from './memory-source.ts';
import { runQuery } from './run-query.ts';

/** The script with every result replaced by the current one. */
export async function replayScript(script: string): Promise<string> {
  const regions = new Map<string, MemoryRegion>();
  const blocks = script.trimEnd().split(/\n{2,}/);
  const replayed: string[] = [];
  for (const block of blocks) {
    const lines = block.split('\n');
    const header = lines.find((line) => !line.startsWith('#')) ?? '';
    if (header.startsWith('region ')) readRegion(lines, regions);
    replayed.push(header.startsWith('>') ? await replayQuery(lines, regions) : block);
  }
  return `${replayed.join('\n\n')}\n`;
}

const TYPES: ReadonlyMap<string | undefined, RegionType> = new Map([
  ['EMPTY', 'EMPTY'],
  ['PARTITION', 'PARTITION'],
]);

function readRegion(lines: readonly string[], regions: Map<string, MemoryRegion>): void {
  let name = '';
  for (const line of lines) {
    if (line.startsWith('#')) continue;
    const [first = '', second = '', third] = line.split(' ');
    if (first === 'region') {
      name = second;
      regions.set(name, { type: TYPES.get(third) ?? 'REPLICATE', entries: [] });
      continue;
    }
    const entry: SourceEntry = { key: first, value: line.slice(first.length + 1) };
    const region = regions.get(name) ?? { entries: [] };
    regions.set(name, { ...region, entries: [...region.entries, entry] });
  }
}

async function replayQuery(
  lines: readonly string[],
  regions: ReadonlyMap<string, MemoryRegion>,
): Promise<string> {
  const input = lines.filter((line) => /^[#>$]/.test(line));
  const { text, parameters } = readQuery(lines);
  return [...input, ...(await resultLines(text, regions, parameters))].join('\n');
}

export interface ScriptQuery {
  readonly text: string;
  readonly parameters: readonly Value[];
}

function readQuery(lines: readonly string[]): ScriptQuery {
  const text = lines.filter((line) => line.startsWith('>')).map((line) => line.slice(2));
  const parameters = lines
    .filter((line) => line.startsWith('$'))
    .flatMap((line) => line.slice(2).split(' '))
    .map((json) => parseJson(json));
  return { text: text.join('\n'), parameters };
}

/** All regions of a script, as the last of its queries sees them, and its queries. */
export function readScript(script: string): {
  readonly regions: ReadonlyMap<string, MemoryRegion>;
  readonly queries: readonly ScriptQuery[];
} {
  const regions = new Map<string, MemoryRegion>();
  const queries: ScriptQuery[] = [];
  for (const block of script.trimEnd().split(/\n{2,}/)) {
    const lines = block.split('\n');
    const header = lines.find((line) => !line.startsWith('#')) ?? '';
    if (header.startsWith('region ')) readRegion(lines, regions);
    else if (header.startsWith('>')) queries.push(readQuery(lines));
  }
  return { regions, queries };
}

async function resultLines(
  text: string,
  regions: ReadonlyMap<string, MemoryRegion>,
  parameters: readonly Value[],
): Promise<readonly string[]> {
  try {
    const result = await runQuery(text, Object.fromEntries(regions), parameters);
    if (!isList(result)) return [show(result)];
    return result.length === 0 ? ['(no rows)'] : result.map((row) => `- ${show(row)}`);
  } catch (error) {
    if (!(error instanceof OqlError)) throw error;
    return [`! ${error.code}: ${error.message.split('\n')[0]}`];
  }
}

/** Like JSON, but distinguishes kinds that JSON does not. */
function show(value: Value): string {
  if (value === UNDEFINED) return 'UNDEFINED';
  if (value instanceof Char) return `CHAR '${value.unit}'`;
  if (value instanceof Temporal) return `${value.kind} ${printText(value)}`;
  if (isList(value)) return `[${value.map(show).join(', ')}]`;
  if (value instanceof ValueSet) return `SET(${value.items.map(show).join(', ')})`;
  if (value instanceof Entry) return `entry ${show(value.key)} → ${show(value.value)}`;
  if (value instanceof Struct) {
    const fields = value.names.map(
      (name, index) => `${name}: ${show(value.values[index] ?? null)}`,
    );
    return `struct { ${fields.join(', ')} }`;
  }
  return value instanceof Document && value.text !== undefined ? value.text : printJson(value);
}
