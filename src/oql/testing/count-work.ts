// Counts the function calls of parsing and binding, a measure of cost that does not depend on the
// load of the machine. Runs as a separate program, because counting is a mode of the whole process.

import { Session } from 'node:inspector/promises';
import { bindQuery } from '../bind/bind-query.ts';
import { shapeSelect } from '../columnar/shape.ts';
import { OqlError } from '../errors.ts';
import { compileQuery } from '../reference/compile-query.ts';
import { parseQuery } from '../syntax/parse-query.ts';
import { FAMILIES } from './adversarial-texts.ts';
import { sampleCatalog } from './sample-catalog.ts';

/** The lengths each family is measured at; `npm test` leaves the longest texts to the long form. */
const LENGTHS = process.env['TEST_SHARE'] === undefined ? [8_000, 64_000] : [4_000, 16_000];

function prepare(text: string): void {
  try {
    const query = bindQuery(parseQuery(text), { ...sampleCatalog, findRegion: () => ANY_REGION });
    compileQuery(query);
    shapeSelect(query.body);
  } catch (error) {
    if (!(error instanceof OqlError)) throw error;
  }
}

const ANY_REGION = { type: 'REPLICATE', valueMembers: undefined } as const;

const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
const counts: Record<string, number[]> = {};
for (const [name, family] of Object.entries(FAMILIES)) {
  counts[name] = [];
  for (const length of LENGTHS) {
    prepare(family(length));
    // Reading the counts resets them.
    const { result } = await session.post('Profiler.takePreciseCoverage');
    const calls = result
      .filter(({ url }) => url.includes('/src/') && !url.includes('/testing/'))
      .flatMap(({ functions }) => functions.map(({ ranges }) => ranges[0]?.count ?? 0));
    counts[name].push(calls.reduce((sum, count) => sum + count, 0));
  }
}
process.stdout.write(`${JSON.stringify({ lengths: LENGTHS, counts })}\n`);
