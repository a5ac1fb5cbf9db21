// Live queries against the reference evaluator: at every sequence that a consumer receives, snapshot
// plus deltas equal the result of the query at that sequence. Writes continue meanwhile, and consumers
// fall behind, disconnect and reconnect.

import assert from 'node:assert/strict';
import { defaultLimits } from '../../src/app/testing/default-limits.ts';
import { MemoryEngine } from '../../src/engine/memory/memory-engine.ts';
import { createLateEngine } from '../../src/engine/testing/late-engine.ts';
import { plainRegion } from '../../src/engine/testing/plain-region.ts';
import { Grid } from '../../src/grid/grid.ts';
import type { LiveEvent } from '../../src/grid/live/live-event.ts';
import type { LiveStream } from '../../src/grid/live/live-stream.ts';
import type { BoundQuery } from '../../src/oql/bind/bound-query.ts';
import { withQueryTime } from '../../src/oql/bind/parameters.ts';
import { OqlError } from '../../src/oql/errors.ts';
import { bindQuery, parseQuery } from '../../src/oql/index.ts';
import { executeReference } from '../../src/oql/reference/execute-reference.ts';
import {
  createCatalog,
  type MemoryRegions,
  MemorySource,
} from '../../src/oql/reference/testing/memory-source.ts';
import { createContext, TEST_TIME } from '../../src/oql/reference/testing/run-query.ts';
import { Choices } from '../../src/oql/testing/queries/choices.ts';
import { generateDocument } from '../../src/oql/testing/queries/generate-document.ts';
import { generateQuery } from '../../src/oql/testing/queries/generate-query.ts';
import { printJson } from '../../src/value/json-print.ts';

const REGIONS = ['r', 'q'] as const;
const CATALOG = createCatalog({ r: { entries: [] }, q: { entries: [] } });
const KEYS = 14;
const QUERIES = 8;
const STEPS = 24;

export interface Tally {
  /** Sequences at which rows were compared, and how many of those followed deltas. */
  compared: number;
  afterDeltas: number;
  resumed: number;
  resets: number;
  failed: number;
  /** Sequences that were not compared, because ORDER BY cannot sort their values. */
  notComparable: number;
  followed: number;
  runAgain: number;
}

export function createTally(): Tally {
  const none = { compared: 0, afterDeltas: 0, resumed: 0, resets: 0, failed: 0, notComparable: 0 };
  return { ...none, followed: 0, runAgain: 0 };
}

/** The entries of both regions by sequence. */
class History {
  readonly #states = new Map<number, MemoryRegions>();
  #entries = new Map<string, ReadonlyMap<string, string>>(REGIONS.map((name) => [name, new Map()]));

  record(sequence: number, region: string, entries: ReadonlyMap<string, string>): void {
    this.#entries = new Map([...this.#entries, [region, entries]]);
    this.#states.set(sequence, this.#regions());
  }

  mark(sequence: number): void {
    this.#states.set(sequence, this.#regions());
  }

  entriesOf(region: string): ReadonlyMap<string, string> {
    return this.#entries.get(region) ?? new Map();
  }

  at(sequence: number): MemoryRegions {
    const state = this.#states.get(sequence);
    assert.ok(state !== undefined, `nothing was committed as ${sequence}`);
    return state;
  }

  /** The states after one sequence, up to another. */
  between(after: number, to: number): readonly MemoryRegions[] {
    return [...this.#states].flatMap(([at, state]) => (at > after && at <= to ? [state] : []));
  }

  #regions(): MemoryRegions {
    return Object.fromEntries(
      [...this.#entries].map(([name, entries]) => [
        name,
        {
          entries: [...entries]
            .map(([key, value]) => ({ key, value }))
            .sort((a, b) => (a.key < b.key ? -1 : 1)),
        },
      ]),
    );
  }
}

/** Rows as JSON, sorted; or the code of the failure. */
async function runReference(
  query: BoundQuery,
  regions: MemoryRegions,
): Promise<readonly string[] | string> {
  const context = createContext(withQueryTime(query, [], TEST_TIME));
  const rows: string[] = [];
  try {
    for await (const batch of executeReference(query, new MemorySource(regions), context)) {
      rows.push(...batch.map((value) => printJson(value)));
    }
    return rows.sort();
  } catch (error) {
    if (error instanceof OqlError) return error.code;
    throw error;
  }
}

/** Applies events like a client, and checks its rows at every sequence that it receives. */
class Consumer {
  readonly text: string;
  readonly #query: BoundQuery;
  readonly #grid: Grid;
  readonly #history: History;
  readonly #tally: Tally;
  #stream: LiveStream | undefined;
  #events: AsyncGenerator<LiveEvent> | undefined;
  #next: Promise<IteratorResult<LiveEvent>> | undefined;
  #rows = new Map<string, string>();
  sequence: number | undefined;
  failure: unknown;

  constructor(text: string, grid: Grid, history: History, tally: Tally) {
    this.text = text;
    this.#query = bindQuery(parseQuery(text), CATALOG);
    this.#grid = grid;
    this.#history = history;
    this.#tally = tally;
  }

  get isOpen(): boolean {
    return this.#stream !== undefined;
  }

  /** Resumes from its last position, if it was connected before. */
  async connect(): Promise<void> {
    const resumeAt = this.sequence;
    try {
      const { text } = this;
      this.#stream = await this.#grid.openLiveQuery({
        readText: () => text,
        parameters: [],
        resumeAt,
      });
      this.#events = this.#stream.events();
      if (resumeAt !== undefined) this.#tally.resumed += 1;
    } catch (error) {
      this.failure = error;
    }
  }

  disconnect(): void {
    this.#stream?.close();
    this.#stream = undefined;
    this.#events = undefined;
    this.#next = undefined;
  }

  /** Reads all available events. */
  async takeAll(): Promise<void> {
    while (this.#events !== undefined) {
      this.#next ??= this.#events.next();
      const taken = await Promise.race([this.#next.catch((error) => ({ error })), quiet()]);
      if (taken === undefined) return;
      this.#next = undefined;
      if ('error' in taken) {
        this.failure = taken.error;
        this.disconnect();
      } else if (taken.done !== true) await this.#apply(taken.value);
    }
  }

  async #apply(event: LiveEvent): Promise<void> {
    switch (event.kind) {
      case 'snapshot':
        if (event.isReset) {
          this.#rows.clear();
          this.#tally.resets += 1;
        }
        for (const { id, row } of event.rows) {
          assert.ok(!this.#rows.has(id), `${id} came twice: ${this.text}`);
          this.#rows.set(id, row);
        }
        return;
      case 'ready':
        this.sequence = event.sequence;
        return this.compare(event.sequence);
      case 'deltas':
        for (const delta of event.deltas) {
          const isKnown = this.#rows.has(delta.id);
          assert.equal(isKnown, delta.kind !== 'enter', `${delta.kind} ${delta.id}: ${this.text}`);
          if (delta.kind === 'leave') this.#rows.delete(delta.id);
          else this.#rows.set(delta.id, delta.row);
        }
        this.sequence = event.sequence;
        this.#tally.afterDeltas += 1;
        return this.compare(event.sequence);
    }
  }

  /** Its rows must equal the result of the query at that sequence. */
  async compare(sequence: number): Promise<void> {
    const expected = await runReference(this.#query, this.#history.at(sequence));
    // The next run detects values that ORDER BY cannot sort, and ends the stream.
    if (expected === 'oql/values-not-comparable') {
      this.#tally.notComparable += 1;
      return;
    }
    assert.deepEqual([...this.#rows.values()].sort(), expected, `at ${sequence}: ${this.text}`);
    this.#tally.compared += 1;
  }

  /** The query must fail too, at a sequence that the consumer has not received. */
  async compareFailure(sequence: number): Promise<void> {
    const { failure } = this;
    assert.ok(failure instanceof OqlError, `${this.text} failed with ${failure}`);
    const states = this.#history.between((this.sequence ?? 0) - 1, sequence);
    const codes = await Promise.all(states.map((state) => runReference(this.#query, state)));
    assert.ok(codes.includes(failure.code), `${failure.message}: ${this.text}`);
    this.#tally.failed += 1;
  }
}

/** Resolves when all pending callbacks have run. */
async function quiet(): Promise<undefined> {
  for (let round = 0; round < 3; round += 1) await new Promise(setImmediate);
  return undefined;
}

/** Runs queries over one store, with writes and consumers that are slow or disconnect. */
export async function checkLiveStore(seed: number, tally: Tally): Promise<void> {
  const choices = new Choices(seed);
  const store = new MemoryEngine();
  const late = choices.chance(30) ? createLateEngine(store) : undefined;
  const history = new History();
  for (const name of REGIONS) await store.createRegion(plainRegion(name));
  const grid = await Grid.open({
    engine: late?.engine ?? store,
    limits: { ...defaultLimits, liveIntervalMs: 1 },
    observe: () => undefined,
    servers: () => [],
    wallClock: () => TEST_TIME,
    now: () => performance.now(),
    pause: async () => undefined,
    isMemoryLow: () => false,
  });
  const data = choices.chance(70) ? 'tidy' : 'any';
  for (let step = 0; step < 10; step += 1) await write(choices, store, history, data);
  const consumers: Consumer[] = [];
  for (let at = 0; at < QUERIES; at += 1) {
    const consumer = new Consumer(generateText(choices), grid, history, tally);
    consumers.push(consumer);
    await consumer.connect();
  }
  history.mark(store.stats().sequence);
  const { followed, runAgain } = grid.liveFigures();
  tally.followed += followed;
  tally.runAgain += runAgain;
  for (let step = 0; step < STEPS; step += 1) {
    await write(choices, store, history, data);
    if (late !== undefined && choices.chance(5)) late.loseCommits();
    for (const consumer of consumers) await act(choices, consumer);
  }
  await checkAll(grid, store, consumers);
  grid.close();
  await store.close();
}

/** Mostly queries that are maintained incrementally. */
function generateText(choices: Choices): string {
  for (;;) {
    const text = generateQuery(choices);
    const isPlain = /^SELECT (?!DISTINCT|COUNT)/.test(text) && !/GROUP BY|LIMIT|NOW/.test(text);
    const isAlone = !/, \/|JOIN|\(SELECT|MIN\(|MAX\(/.test(text);
    if ((isPlain && isAlone) || choices.chance(15)) return text;
  }
}

async function act(choices: Choices, consumer: Consumer): Promise<void> {
  if (consumer.failure !== undefined) return;
  if (!consumer.isOpen) {
    if (choices.chance(40)) await consumer.connect();
  } else if (choices.chance(6)) consumer.disconnect();
  else if (choices.chance(70)) await consumer.takeAll();
}

/** Lets all consumers catch up: each must then have the current result. */
async function checkAll(
  grid: Grid,
  store: MemoryEngine,
  consumers: readonly Consumer[],
): Promise<void> {
  const { sequence } = store.stats();
  for (const consumer of consumers) {
    if (consumer.failure === undefined && !consumer.isOpen) await consumer.connect();
    // Opening the query again makes the shared source apply every commit.
    if (consumer.failure === undefined) await openOnce(grid, consumer.text);
    await consumer.takeAll();
    if (consumer.failure === undefined) await consumer.compare(sequence);
    else await consumer.compareFailure(sequence);
    consumer.disconnect();
  }
}

async function openOnce(grid: Grid, text: string): Promise<void> {
  try {
    (await grid.openLiveQuery({ readText: () => text, parameters: [] })).close();
  } catch (error) {
    if (!(error instanceof OqlError)) throw error;
  }
}

async function write(
  choices: Choices,
  store: MemoryEngine,
  history: History,
  data: 'tidy' | 'any',
): Promise<void> {
  const name = choices.of('r', 'r', 'q');
  const region = await store.openRegion(name);
  assert.ok(region);
  const entries = new Map(history.entriesOf(name));
  if (choices.chance(4)) {
    await region.clear();
    entries.clear();
  } else {
    const keys = new Set(choices.some(choices.chance(20) ? 5 : 1, () => `k${choices.below(KEYS)}`));
    const changes = [...keys].map((key) => {
      if (choices.chance(25)) {
        entries.delete(key);
        return { kind: 'remove' as const, key };
      }
      const value = generateObject(choices, data);
      entries.set(key, value);
      return { kind: 'put' as const, key, value };
    });
    await region.write(changes);
  }
  history.record(store.stats().sequence, name, entries);
}

/** Objects only, because the grid accepts no other values. */
function generateObject(choices: Choices, data: 'tidy' | 'any'): string {
  for (;;) {
    const document = generateDocument(choices, data);
    if (document.startsWith('{')) return document;
  }
}
