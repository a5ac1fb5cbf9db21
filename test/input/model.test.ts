// Random sequences of requests against a Map that says what must come out, with
// restarts in between where the store is durable.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import type { Answer } from '../http-client.ts';
import { type EngineKind, onEveryEngine, Service } from '../service.ts';

const SEQUENCES = Number(process.env['GRIDKEEP_TEST_SEQUENCES'] ?? 300);
const COMMANDS = Number(process.env['GRIDKEEP_TEST_COMMANDS'] ?? 50);
const KEYS = ['a', 'b', 'c', 'd e', 'keys', 'x,y', 'é'];

interface Model {
  readonly entries: Map<string, string>;
}

interface Real {
  readonly service: Service;
  readonly region: string;
}

type GridCommand = fc.AsyncCommand<Model, Real>;

/** One request and what the model says about it. */
class RequestCommand implements GridCommand {
  readonly #method: string;
  readonly #query: string;
  readonly #body: string | undefined;
  readonly #expect: (entries: Map<string, string>, region: string) => Expectation;

  constructor(
    method: string,
    query: string,
    body: string | undefined,
    expect: (entries: Map<string, string>, region: string) => Expectation,
  ) {
    this.#method = method;
    this.#query = query;
    this.#body = body;
    this.#expect = expect;
  }

  check(): boolean {
    return true;
  }

  async run(model: Model, { service, region }: Real): Promise<void> {
    const body = this.#body === undefined ? {} : { body: this.#body };
    const answer = await service.send(this.#method, `/${region}${this.#query}`, body);
    const expected = this.#expect(model.entries, region);
    assert.equal(answer.status, expected.status, `${this}: ${answer.text}`);
    if (expected.text !== undefined) assert.equal(answer.text, expected.text, String(this));
    expected.check?.(answer);
  }

  toString(): string {
    return `${this.#method} ${this.#query} ${this.#body ?? ''}`;
  }
}

interface Expectation {
  readonly status: number;
  readonly text?: string;
  readonly check?: (answer: Answer) => void;
}

class Restart implements GridCommand {
  check(): boolean {
    return true;
  }

  async run(_model: Model, { service }: Real): Promise<void> {
    await service.restart();
  }

  toString(): string {
    return 'restart';
  }
}

const key = fc.constantFrom(...KEYS);
const keys = fc.uniqueArray(key, { minLength: 1, maxLength: 3 });
const value = fc
  .tuple(fc.nat(9), fc.constantFrom('', '.0', '.50'))
  .map(([n, fraction]) => `{"n":${n}${fraction}}`);

function address(list: readonly string[]): string {
  return `?keys=${list.map(encodeURIComponent).join(',')}`;
}

function bodyOf(list: readonly string[], values: readonly string[]): string {
  return list.length === 1 ? (values[0] ?? '') : `[${values.slice(0, list.length).join(',')}]`;
}

const values = fc.array(value, { minLength: 3, maxLength: 3 });

function absent(entries: Map<string, string>, list: readonly string[]): readonly string[] {
  return list.filter((one) => !entries.has(one));
}

const put = fc.tuple(keys, values).map(
  ([list, texts]) =>
    new RequestCommand('PUT', address(list), bodyOf(list, texts), (entries) => {
      for (const [i, one] of list.entries()) entries.set(one, texts[i] ?? '');
      return { status: 200, text: '' };
    }),
);

const replace = fc.tuple(keys, values).map(
  ([list, texts]) =>
    new RequestCommand(
      'PUT',
      `${address(list)}&op=REPLACE`,
      bodyOf(list, texts),
      (entries, region) => {
        const missing = absent(entries, list);
        if (missing.length > 0) {
          const text = `"Requested keys (${missing.join(',')}) do not exist in region (${region})"`;
          return { status: 400, text };
        }
        for (const [i, one] of list.entries()) entries.set(one, texts[i] ?? '');
        return { status: 200, text: '' };
      },
    ),
);

const create = fc.tuple(keys, values).map(
  ([list, texts]) =>
    new RequestCommand('PUT', `${address(list)}&op=CREATE`, bodyOf(list, texts), (entries) => {
      if (absent(entries, list).length < list.length) return { status: 409 };
      for (const [i, one] of list.entries()) entries.set(one, texts[i] ?? '');
      return { status: 201, text: '' };
    }),
);

const post = fc.tuple(key, value).map(
  ([one, text]) =>
    new RequestCommand('POST', `?key=${encodeURIComponent(one)}`, text, (entries) => {
      const existing = entries.get(one);
      if (existing !== undefined) return { status: 409, text: existing };
      entries.set(one, text);
      return { status: 201, text: '' };
    }),
);

const compareAndSet = fc.tuple(key, value, value).map(
  ([one, old, text]) =>
    new RequestCommand(
      'PUT',
      `${address([one])}&op=CAS`,
      `{"@old":${old},"@new":${text}}`,
      (entries) => {
        const current = entries.get(one);
        if (current === undefined) return { status: 404 };
        if (JSON.parse(current).n !== JSON.parse(old).n) return { status: 409, text: current };
        entries.set(one, text);
        return { status: 200, text: '' };
      },
    ),
);

const remove = keys.map(
  (list) =>
    new RequestCommand('DELETE', address(list), undefined, (entries) => {
      if (absent(entries, list).length > 0) return { status: 404 };
      for (const one of list) entries.delete(one);
      return { status: 200, text: '' };
    }),
);

const clear = fc.constant(
  new RequestCommand('DELETE', '', undefined, (entries) => {
    entries.clear();
    return { status: 200, text: '' };
  }),
);

const read = keys.map(
  (list) =>
    new RequestCommand('GET', address(list), undefined, (entries, region) => {
      const missing = absent(entries, list);
      if (missing.length > 0) {
        const text = `"Requested keys (${missing.join(',')}) do not exist in region (${region})"`;
        return { status: 400, text };
      }
      return {
        status: 200,
        text: `{"${region}":[${list.map((one) => entries.get(one)).join(',')}]}`,
      };
    }),
);

const readAny = keys.map(
  (list) =>
    new RequestCommand(
      'GET',
      `${address(list)}&ignoreMissingKey=true`,
      undefined,
      (entries, region) => {
        const texts = list.map((one) => entries.get(one) ?? 'null');
        return { status: 200, text: `{"${region}":[${texts.join(',')}]}` };
      },
    ),
);

const readRegion = fc.constantFrom('', '?limit=ALL', '?limit=2', '?limit=200').map(
  (query) =>
    new RequestCommand('GET', query, undefined, (entries, region) => {
      const sorted = [...entries].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text);
      const shown = query === '?limit=2' ? sorted.slice(0, 2) : sorted;
      return { status: 200, text: `{"${region}":[${shown.join(',')}]}` };
    }),
);

const listKeys = fc.constant(
  new RequestCommand('GET', '/keys', undefined, (entries) => ({
    status: 200,
    text: JSON.stringify({ keys: [...entries.keys()].sort() }),
  })),
);

const count = fc.constant(
  new RequestCommand('HEAD', '', undefined, (entries) => ({
    status: 200,
    check: (answer) => assert.equal(answer.headers['resource-count'], String(entries.size)),
  })),
);

function commands(engine: EngineKind): fc.Arbitrary<GridCommand>[] {
  const writes = [put, replace, create, post, compareAndSet, remove, clear];
  const reads = [read, readAny, readRegion, listKeys, count];
  const all: fc.Arbitrary<GridCommand>[] = [...writes, put, replace, ...reads];
  // A restart takes longer than a hundred requests, so it is not drawn as often as they are.
  const rarely = fc.nat(9).chain((n) => (n === 0 ? fc.constant(new Restart()) : count));
  return engine === 'sqlite' ? [...all, rarely] : all;
}

onEveryEngine('Sequences of requests', (_service, engine) => {
  it('gives the answers that a Map would give', async () => {
    const share = engine === 'memory' ? 0.7 : 0.3;
    await using service = await Service.start({ engine });
    await fc.assert(
      fc.asyncProperty(
        fc.commands(commands(engine), { maxCommands: COMMANDS, size: 'max' }),
        async (sequence) => {
          const region = await service.region();
          await fc.asyncModelRun(
            () => ({ model: { entries: new Map() }, real: { service, region } }),
            sequence,
          );
        },
      ),
      { numRuns: Math.ceil(SEQUENCES * share) },
    );
  });
});
