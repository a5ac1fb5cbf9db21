// Replays requests of Geode's developer REST API in order: our answers equal the recorded answers of a
// real Geode. README.md describes the origin of the recordings.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { ENGINES, type Entries, Service } from '../service.ts';
import {
  compareAnswers,
  type RecordedAnswer,
  type RecordedRequest,
  readLines,
  replay,
} from './recording.ts';

/** Recorded requests with another answer here, and why. */
const DIFFERENCES: ReadonlyMap<number, string> = new Map([
  [90, 'which entries come first depends on the hash tables of Java'],
  [198, 'Geode names another token of the same wrong text'],
  [204, 'pages of other sites may not write here, whatever Geode lets them do'],
]);

/** Answers of another Geode to the lines without an answer (README.md). */
const ANSWERS: ReadonlyMap<number, RecordedAnswer> = new Map(
  readLines<Required<RecordedRequest>>('answers.jsonl').map(({ expect, n }) => [n, expect]),
);

/** Regions and their entries, which queries among the requests read. */
const DATA: Readonly<Record<string, Entries>> = JSON.parse(
  readFileSync(new URL('oql-datasets.json', import.meta.url), 'utf8'),
);

async function startGrid(engine: (typeof ENGINES)[number]): Promise<Service> {
  let origin = '';
  const service = await Service.start({ engine, servers: () => [origin] });
  origin = service.origin;
  for (const name of ['rt', 'r0', 'cl', 'x1', 'x2', ...Object.keys(DATA)]) {
    await service.grid.createRegion({ name });
    await service.put(name, DATA[name] ?? {});
  }
  await service.grid.createRegion({ name: 'rp', type: 'PARTITION' });
  await service.grid.createRegion({ name: 're', type: 'EMPTY' });
  return service;
}

for (const engine of ENGINES) {
  test(`recorded requests get the same answers (${engine})`, async () => {
    await using service = await startGrid(engine);
    const failures: string[] = [];
    for (const file of ['rest.jsonl', 'probes.jsonl']) {
      for (const request of readLines<RecordedRequest>(file)) {
        const answer = await replay(service, request);
        const expected = request.expect ?? ANSWERS.get(request.n);
        assert.ok(expected, `line ${request.n} has an answer`);
        if (DIFFERENCES.has(request.n)) continue;
        const differences = compareAnswers(service, answer, expected);
        if (differences.length === 0) continue;
        const line = `${request.n} ${request.method} ${request.target.slice(0, 120)}`;
        failures.push([line, ...differences].join('\n  '));
      }
    }
    assert.equal(failures.length, 0, failures.join('\n'));
  });
}
