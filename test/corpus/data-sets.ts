// The data sets of the corpus as regions of JSON text. Portfolios and Positions are built by the rules
// of their original tests; sets that are too large to list are built from their description.

import { readFileSync } from 'node:fs';
import type { MemoryRegion, MemoryRegions } from '../../src/oql/reference/testing/memory-source.ts';
import { parseJson } from '../../src/value/json-parse.ts';
import { printJson } from '../../src/value/json-print.ts';
import { Document, isList, type Value } from '../../src/value/value.ts';
import { requireDocument } from './corpus-line.ts';

const file = requireDocument(
  parseJson(readFileSync(new URL('oql-datasets.json', import.meta.url), 'utf8')),
);
const listedSets = requireDocument(file.members.get('datasets'));

/** The two Portfolios that the file contains in full, to test the builder. */
export const portfolioExamples: Document = requireDocument(file.members.get('portfolioExamples'));

export function dataSetNames(): readonly string[] {
  return [...listedSets.members.keys()];
}

/** The regions of a data set, their entries in the order of their keys. */
export function buildDataSet(name: string): MemoryRegions {
  const regions = requireDocument(
    requireDocument(listedSets.members.get(name)).members.get('regions'),
  );
  return Object.fromEntries(
    [...regions.members].map(([region, content]) => [
      region,
      inOrder(listedRegion(requireDocument(content)) ?? describedRegion(name, region)),
    ]),
  );
}

function inOrder({ entries }: MemoryRegion): MemoryRegion {
  return { entries: entries.toSorted((a, b) => (a.key < b.key ? -1 : 1)) };
}

function listedRegion(content: Document): MemoryRegion | undefined {
  const entries = content.members.get('entries') ?? null;
  if (!isList(entries)) return undefined;
  return {
    entries: entries.map((entry) => {
      const [key = null, value = null] = isList(entry) ? entry : [];
      return { key: keyText(key), value: valueText(value) };
    }),
  };
}

function keyText(key: Value): string {
  return typeof key === 'string' ? key : printJson(key);
}

/** JSON text of a listed value, with the macros `$portfolio` and `$position` expanded. */
function valueText(value: Value): string {
  if (isList(value)) return `[${value.map(valueText).join()}]`;
  if (!(value instanceof Document)) return printJson(value);
  const { members } = value;
  const portfolio = members.get('$portfolio');
  if (portfolio !== undefined && isList(portfolio)) {
    const [id = 0, counter = 0] = portfolio.map(Number);
    const changes = members.get('with');
    return portfolioText(id, counter, changes instanceof Document ? changes : undefined);
  }
  const position = members.get('$position');
  if (position !== undefined && isList(position)) {
    const [secId, shares, pid] = position;
    return positionText(keyText(secId ?? null), numberOf(shares ?? 0), numberOf(pid ?? 0));
  }
  return `{${[...members].map(([name, each]) => `${JSON.stringify(name)}:${valueText(each)}`).join()}}`;
}

function numberOf(value: Value): number {
  return Number(printJson(value));
}

const SECURITIES = 'SUN IBM YHOO GOOG MSFT AOL APPL ORCL SAP DELL RHAT NOVL HP'.split(' ');
const HELD = '"0","1","2","3","4","SUN","IBM","YHOO","GOOG","MSFT"';

function positionAt(counter: number): string {
  return positionText(securityAt(counter), counter * 1000, counter);
}

function securityAt(counter: number): string {
  return SECURITIES[counter % SECURITIES.length] ?? '';
}

function positionText(secId: string, shares: number, pid: number): string {
  return (
    `{"secId":"${secId}","secIdIndexed":"${secId}","sharesOutstanding":${shares}.0,` +
    `"secType":"a","pid":${pid},"mktValue":${pid + 1}.0,"portfolioId":0,"underlyer":null}`
  );
}

/** Portfolio(id), built when the counter of Positions is `counter`. */
export function portfolioText(id: number, counter: number, changes?: Document): string {
  const isEven = id % 2 === 0;
  const first = counter + (isEven ? 1 : 2);
  const holder = `{"arr":[${HELD}]}`;
  const members = new Map([
    ['ID', String(id)],
    ['indexKey', '0'],
    ['pkid', `"${id}"`],
    ['shortID', 'null'],
    ['position1', positionAt(counter)],
    ['position2', isEven ? 'null' : positionAt(counter + 1)],
    ['position3', 'null'],
    ['description', isEven ? 'null' : '"XXXX"'],
    ['createTime', '0'],
    [
      'positions',
      `{"${securityAt(first)}":${positionAt(first)},"${securityAt(first + 1)}":${positionAt(first + 1)}}`,
    ],
    ['collectionHolderMap', `{"0":${holder},"1":${holder},"2":${holder},"3":${holder}}`],
    ['type', `"type${id % 3}"`],
    ['status', isEven ? '"active"' : '"inactive"'],
    ['names', '["aaa","bbb","ccc","ddd"]'],
    ['unicodeṤtring', isEven ? '"ṤṶẐ"' : '"ṤẐṶ"'],
    ['createDate', 'null'],
  ]);
  for (const [name, value] of changes?.members ?? []) members.set(name, valueText(value));
  return `{${[...members].map(([name, text]) => `${JSON.stringify(name)}:${text}`).join()}}`;
}

/** The counter of Positions after building one Portfolio. */
function countAfter(id: number, counter: number): number {
  return counter + (id % 2 === 0 ? 3 : 4);
}

function portfolios(
  ids: readonly number[],
  start: number,
  change: (id: number) => string,
): MemoryRegion {
  let counter = start;
  return {
    entries: ids.map((id) => {
      const changes = requireDocument(parseJson(change(id)));
      const value = portfolioText(id, counter, changes);
      counter = countAfter(id, counter);
      return { key: String(id), value };
    }),
  };
}

function documents(count: number, build: (index: number) => unknown): MemoryRegion {
  return {
    entries: range(0, count - 1).map((index) => ({
      key: String(index),
      value: JSON.stringify(build(index)),
    })),
  };
}

function range(first: number, last: number): readonly number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

const DESCRIBED: Readonly<Record<string, () => MemoryRegion>> = {
  'equi10/region1': () => documents(1000, (i) => ({ pkid: i, id: i % 10 })),
  'equi10/region2': () => documents(1000, (i) => ({ pkid: i, id: i })),
  'equi1000/region1': () => documents(1000, (i) => ({ pkid: i, id: i, name: `name${i}` })),
  'equi1000/region2': () => documents(1000, (i) => ({ pkid: i, id: i, name: `name${i}` })),
  'equiMany/region1': () => documents(1000, (i) => ({ pkid: i, id: i })),
  'equiMany/region2': () => documents(1000, (i) => ({ pkid: i % 100, id: i })),
  'equiRange/region1': () => documents(1000, (i) => ({ pkid: i % 5, id: i % 10 })),
  'equiRange/region2': () => documents(1000, (i) => ({ pkid: i, id: i })),
  'group600/portfolio': () =>
    portfolios(range(1, 600), 0, (id) => `{"shortID":${Math.floor(id / 5)}}`),
  'hint1000/Portfolios': () => portfolios(range(0, 999), 0, () => '{}'),
  'hint1000/Portfolios_2': () => portfolios(range(0, 999), 3500, () => '{}'),
  'nested1000/portfolios1': () => portfolios(range(0, 1000), 0, (id) => `{"createTime":${id}}`),
  'nested1000/portfolios2': () => portfolios(range(0, 1000), 0, (id) => `{"createTime":${id}}`),
  'posNum1000/pos': () => documents(1000, (i) => i),
  'receipts1000/customers': () =>
    documents(1000, (i) => ({ id: i, profile: i % 2 === 0 ? 'PremiumIndividual' : 'AverageJoe' })),
  'receipts1000/receipts': () =>
    documents(10_000, (i) => ({ customerId: Math.floor(i / 10), items: [{ productId: i % 10 }] })),
};

function describedRegion(dataSet: string, region: string): MemoryRegion {
  const build = DESCRIBED[`${dataSet}/${region}`];
  if (build === undefined) throw new Error(`data set ${dataSet} has no builder for ${region}`);
  return build();
}
