// I9, random sequences of requests, with a Map as oracle, and with restarts if the store is durable. A
// sequence is plain data, so that a failing one can be copied into the corpus as printed.

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ENGINES, type EngineKind, Service } from '../service.ts';
import { checkGenerated, type Family, type Figures, replay, type Work } from './family.ts';

const STEPS = 50;
const KEYS = ['a', 'b', 'c', 'd e', 'keys', 'x,y', 'é'];

export const model: Family = {
  id: 'I9',
  title: `sequences of ${STEPS} requests, with restarts`,
  bar: 'the answers that a Map would give',
  cases: 300,
  benchCases: 300,
  run: runModel,
};

type Entries = Map<string, string>;

interface Expectation {
  readonly status: number;
  readonly text?: string;
  readonly count?: number;
}

/** One request on some keys, and its expected outcome from the Map. */
interface Request {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
  /** Applies the request to the Map. */
  readonly expect: (entries: Entries, region: string) => Expectation;
}

type Build = (keys: readonly string[], values: readonly string[]) => Request;

function address(keys: readonly string[]): string {
  return `?keys=${keys.map(encodeURIComponent).join(',')}`;
}

function bodyOf(keys: readonly string[], values: readonly string[]): string {
  return keys.length === 1 ? (values[0] ?? '') : `[${values.slice(0, keys.length).join(',')}]`;
}

function findAbsent(entries: Entries, keys: readonly string[]): readonly string[] {
  return keys.filter((key) => !entries.has(key));
}

function set(entries: Entries, keys: readonly string[], values: readonly string[]): void {
  for (const [i, key] of keys.entries()) entries.set(key, values[i] ?? '');
}

function refuseMissing(keys: readonly string[], region: string): Expectation {
  const text = `"Requested keys (${keys.join(',')}) do not exist in region (${region})"`;
  return { status: 400, text };
}

function readRegion(query: string, limit: number): Build {
  return () => ({
    method: 'GET',
    path: query,
    expect: (entries, region) => {
      const sorted = [...entries].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text);
      return { status: 200, text: `{"${region}":[${sorted.slice(0, limit).join(',')}]}` };
    },
  });
}

const WRITES = {
  put: (keys, values) => ({
    method: 'PUT',
    path: address(keys),
    body: bodyOf(keys, values),
    expect: (entries) => {
      set(entries, keys, values);
      return { status: 200, text: '' };
    },
  }),
  replace: (keys, values) => ({
    method: 'PUT',
    path: `${address(keys)}&op=REPLACE`,
    body: bodyOf(keys, values),
    expect: (entries, region) => {
      const absentKeys = findAbsent(entries, keys);
      if (absentKeys.length > 0) return refuseMissing(absentKeys, region);
      set(entries, keys, values);
      return { status: 200, text: '' };
    },
  }),
  create: (keys, values) => ({
    method: 'PUT',
    path: `${address(keys)}&op=CREATE`,
    body: bodyOf(keys, values),
    expect: (entries) => {
      if (findAbsent(entries, keys).length < keys.length) return { status: 409 };
      set(entries, keys, values);
      return { status: 201, text: '' };
    },
  }),
  post: ([key = ''], [value = '']) => ({
    method: 'POST',
    path: `?key=${encodeURIComponent(key)}`,
    body: value,
    expect: (entries) => {
      const existing = entries.get(key);
      if (existing !== undefined) return { status: 409, text: existing };
      entries.set(key, value);
      return { status: 201, text: '' };
    },
  }),
  compareAndSet: ([key = ''], [old = '', value = '']) => ({
    method: 'PUT',
    path: `${address([key])}&op=CAS`,
    body: `{"@old":${old},"@new":${value}}`,
    expect: (entries) => {
      const current = entries.get(key);
      if (current === undefined) return { status: 404 };
      if (JSON.parse(current).n !== JSON.parse(old).n) return { status: 409, text: current };
      entries.set(key, value);
      return { status: 200, text: '' };
    },
  }),
  remove: (keys) => ({
    method: 'DELETE',
    path: address(keys),
    expect: (entries) => {
      if (findAbsent(entries, keys).length > 0) return { status: 404 };
      for (const key of keys) entries.delete(key);
      return { status: 200, text: '' };
    },
  }),
  clear: () => ({
    method: 'DELETE',
    path: '',
    expect: (entries) => {
      entries.clear();
      return { status: 200, text: '' };
    },
  }),
} as const satisfies Record<string, Build>;

const READS = {
  read: (keys) => ({
    method: 'GET',
    path: address(keys),
    expect: (entries, region) => {
      const absentKeys = findAbsent(entries, keys);
      if (absentKeys.length > 0) return refuseMissing(absentKeys, region);
      const texts = keys.map((key) => entries.get(key));
      return { status: 200, text: `{"${region}":[${texts.join(',')}]}` };
    },
  }),
  readAny: (keys) => ({
    method: 'GET',
    path: `${address(keys)}&ignoreMissingKey=true`,
    expect: (entries, region) => {
      const texts = keys.map((key) => entries.get(key) ?? 'null');
      return { status: 200, text: `{"${region}":[${texts.join(',')}]}` };
    },
  }),
  readFirst: readRegion('', KEYS.length),
  readAll: readRegion('?limit=ALL', KEYS.length),
  readTwo: readRegion('?limit=2', 2),
  listKeys: () => ({
    method: 'GET',
    path: '/keys',
    expect: (entries) => ({
      status: 200,
      text: JSON.stringify({ keys: [...entries.keys()].sort() }),
    }),
  }),
  count: () => ({
    method: 'HEAD',
    path: '',
    expect: (entries) => ({ status: 200, count: entries.size }),
  }),
} as const satisfies Record<string, Build>;

const BUILDERS: Readonly<Record<string, Build>> = { ...WRITES, ...READS };

interface Step {
  /** A name of BUILDERS, or `restart`. */
  readonly do: string;
  readonly keys?: readonly string[];
  readonly values?: readonly string[];
}

function steps(engine: EngineKind): fc.Arbitrary<Step> {
  const names = Object.keys(BUILDERS);
  const requests = fc.record({
    do: fc.constantFrom(...names, 'put', 'replace', 'read'),
    keys: fc.uniqueArray(fc.constantFrom(...KEYS), { minLength: 1, maxLength: 3 }),
    values: fc.array(
      fc
        .tuple(fc.nat(9), fc.constantFrom('', '.0', '.50'))
        .map(([n, fraction]) => `{"n":${n}${fraction}}`),
      { minLength: 3, maxLength: 3 },
    ),
  });
  if (engine === 'memory') return requests;
  // A restart takes longer than a hundred requests, so it is rarer.
  const restart = fc.constant({ do: 'restart' });
  return fc.oneof({ weight: 99, arbitrary: requests }, { weight: 1, arbitrary: restart });
}

async function runModel({ cases, onProgress, seed }: Work): Promise<Figures> {
  let done = 0;
  let replayed = 0;
  let restarts = 0;
  for (const engine of ENGINES) {
    await using service = await Service.start({ engine });
    const runSequence = async (sequence: readonly Step[]): Promise<void> => {
      restarts += await checkSequence(service, engine, sequence);
      service.observations.length = 0;
    };
    replayed += await replay('I9', runSequence);
    const sequences = fc.array(steps(engine), { minLength: STEPS, maxLength: STEPS });
    const work = {
      cases: cases / ENGINES.length,
      onProgress: (count: number) => onProgress(done + count),
      seed,
      atOnce: 1,
    };
    done += await checkGenerated(sequences, work, async (batch) => {
      for (const sequence of batch) await runSequence(sequence);
    });
  }
  return { cases: done, replayed, outcome: `${done} × ${STEPS} requests, ${restarts} restarts` };
}

/** Returns the number of restarts; the memory engine has none, because it is not durable. */
async function checkSequence(
  service: Service,
  engine: EngineKind,
  sequence: readonly Step[],
): Promise<number> {
  const region = await service.region();
  const entries: Entries = new Map();
  let restarts = 0;
  for (const [i, step] of sequence.entries()) {
    if (step.do === 'restart') {
      if (engine === 'memory') continue;
      await service.restart();
      restarts += 1;
      continue;
    }
    const build = BUILDERS[step.do];
    assert.ok(build !== undefined, `no request is called ${step.do}`);
    const request = build(step.keys ?? [], step.values ?? []);
    const body = request.body === undefined ? {} : { body: request.body };
    const answer = await service.send(request.method, `/${region}${request.path}`, body);
    const { count, status, text } = request.expect(entries, region);
    const shown = `step ${i}, ${request.method} ${request.path}`;
    assert.equal(answer.status, status, `${shown}: ${answer.text}`);
    if (text !== undefined) assert.equal(answer.text, text, shown);
    if (count !== undefined) assert.equal(answer.headers['resource-count'], String(count), shown);
  }
  return restarts;
}
