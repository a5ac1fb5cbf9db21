// F6 bit by bit: flips one bit of a store, then reads everything and writes. Each answer must equal
// that of an engine in memory, or the store reports that it is damaged. With pages of 512 bytes a small
// file has everything that a large one has: inner pages, overflow pages, free pages and free space
// within pages.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Engine } from '../../../src/engine/engine.ts';
import { EngineError } from '../../../src/engine/errors.ts';
import { encodeKey } from '../../../src/engine/key-encoding.ts';
import { MemoryEngine } from '../../../src/engine/memory/memory-engine.ts';
import { checkStore } from '../../../src/engine/sqlite/check-store.ts';
import { INLINE_BYTES } from '../../../src/engine/sqlite/large-values.ts';
import { SEAL_LENGTH } from '../../../src/engine/sqlite/seal.ts';
import { openSqliteEngine } from '../../../src/engine/sqlite/sqlite-engine.ts';
import { storeFiles } from '../../../src/engine/sqlite/store-files.ts';
import { openStoredRegions } from '../../../src/engine/sqlite/stored-regions.ts';
import { createRandom } from '../../../src/sample/random.ts';
import { DirectStore, type TriedEngine } from './direct-store.ts';
import { applyWrite, listQuestions, listWrites } from './engine-questions.ts';

const PAGE_BYTES = 512;
const REGIONS = ['orders', 'others', 'kept-nowhere'] as const;
const FLIP_KEYS: readonly string[] = [
  'é,/😀',
  '\ufb01',
  'k',
  ...Array.from({ length: 30 }, (_, i) => `order-${i}${'x'.repeat(i % 3 === 0 ? i : 0)}`),
];
const ABSENT = ['order-', 'order-5-', 'zzz', '0'];

/** One in six is a large value. */
function flipValue(i: number): string {
  return JSON.stringify({ i, text: `text ${i} é `.repeat(1 + 4 * ((i * i) % 40)) });
}

const QUESTIONS = listQuestions(REGIONS, [...FLIP_KEYS, ...ABSENT]);
const WRITES = [
  ...listWrites('orders', FLIP_KEYS),
  ...listWrites('others', ['a', 'b', 'k']),
  ...listWrites('kept-nowhere', ['a']),
];

export type FlipOutcome =
  | { readonly kind: 'refused' | 'right' }
  | { readonly kind: 'wrong'; readonly what: string };

export class BitFlips {
  readonly file: Buffer;
  readonly #directory: string;
  readonly #exported: string;
  /** Right answers by the writes that were done before. */
  readonly #answers: Map<string, readonly string[]> = new Map();

  private constructor(directory: string) {
    this.#directory = join(directory, 'flipped');
    mkdirSync(this.#directory);
    this.file = readFileSync(storeFiles(join(directory, 'golden')).data);
    this.#exported = exportAll(join(directory, 'golden'));
  }

  static async open(directory: string): Promise<BitFlips> {
    const golden = join(directory, 'golden');
    const engine = await openSqliteEngine({ directory: golden, durability: 'relaxed' });
    await fill(engine);
    await engine.close();
    shrinkPages(storeFiles(golden).data);
    return new BitFlips(directory);
  }

  /** Bits to flip, each once; bits of text are rarer than bits of structure. */
  chooseBits(count: number, seed: number): readonly number[] {
    const random = createRandom(seed);
    const bits = new Set<number>();
    while (bits.size < count) {
      const at = random.between(0, this.file.length - 1);
      const isPlain = this.file.subarray(Math.max(0, at - 3), at + 4).every(isTextOrZero);
      if (!isPlain || random.between(1, 12) === 1) bits.add(at * 8 + random.between(0, 7));
    }
    return [...bits];
  }

  /**
   * Offsets of the record of an entry; a page that was split may keep a dead copy.
   *
   *   5 | type of key | of version | of seal | of value | key …      types as SQLite numbers them
   */
  findRecords(key: string): readonly number[] {
    const value = flipValue(FLIP_KEYS.indexOf(key));
    const stored = encodeKey(key);
    const ofSeal = typeOfText('s'.repeat(SEAL_LENGTH));
    const isLarge = Buffer.byteLength(value) > INLINE_BYTES;
    const places: number[] = [];
    for (const ofValue of isLarge ? TYPES_OF_REFERENCE : [typeOfText(value)]) {
      const types = [...typeOfText(stored), 1, ...ofSeal, ...ofValue];
      const record = Buffer.from([1 + types.length, ...types, ...Buffer.from(stored)]);
      for (let at = this.file.indexOf(record); at >= 0; at = this.file.indexOf(record, at + 1)) {
        places.push(at);
      }
    }
    return places;
  }

  flip(bit: number): Promise<FlipOutcome> {
    const changed = Buffer.from(this.file);
    const at = bit >> 3;
    changed[at] = (changed[at] ?? 0) ^ (1 << (bit & 7));
    return this.try(changed);
  }

  /** Opens the bytes as a store, reads and writes everything. */
  async try(bytes: Buffer): Promise<FlipOutcome> {
    const files = storeFiles(this.#directory);
    for (const ending of ['', '-wal', '-shm']) rmSync(files.data + ending, { force: true });
    writeFileSync(files.data, bytes);
    const found: string[] = [];
    const exported = attempt('export', () => exportAll(this.#directory), found);
    if (exported !== undefined && exported !== this.#exported) found.push('a wrong export');
    const isReported = (await checkStore(files, () => undefined)).count > 0;
    let isRefused = exported === undefined;
    const store = attempt('open', () => new DirectStore(this.#directory), found);
    if (store === undefined) isRefused = true;
    else {
      try {
        if (await this.#compare(store, found)) isRefused = true;
      } finally {
        store.close();
      }
    }
    if (isRefused && !isReported) found.push('it is refused, but a check reports nothing');
    if (found.length > 0) return { kind: 'wrong', what: found.slice(0, 5).join('\n') };
    return { kind: isRefused ? 'refused' : 'right' };
  }

  /** Returns whether anything was refused. */
  async #compare(store: TriedEngine, found: string[]): Promise<boolean> {
    const outcomes: (string | undefined)[] = [];
    for (const { name, ask } of QUESTIONS) {
      outcomes.push(await attemptLater(name, () => ask(store), found));
    }
    // A refused write changes nothing, so the engine in memory does not run it either.
    const done: boolean[] = [];
    for (const write of WRITES) {
      const outcome = await attemptLater(write.name, () => applyWrite(store, write), found);
      done.push(outcome !== undefined);
      outcomes.push(outcome);
    }
    for (const { name, ask } of QUESTIONS) {
      outcomes.push(await attemptLater(`${name}, later`, () => ask(store), found));
    }
    const expected = await this.#expect(done);
    const names = [...QUESTIONS, ...WRITES, ...QUESTIONS].map(({ name }) => name);
    for (const [i, outcome] of outcomes.entries()) {
      const right = expected[i] ?? '';
      const name = names[i] ?? '';
      if (outcome === undefined || outcome === right) continue;
      if (name.startsWith('changes') && withoutTimes(outcome) === withoutTimes(right)) continue;
      found.push(`${name}: ${outcome.slice(0, 200)} instead of ${right.slice(0, 200)}`);
    }
    return outcomes.includes(undefined);
  }

  async #expect(done: readonly boolean[]): Promise<readonly string[]> {
    const id = done.join();
    const known = this.#answers.get(id);
    if (known !== undefined) return known;
    const memory = new MemoryEngine({});
    await fill(memory);
    const answers: string[] = [];
    for (const { ask } of QUESTIONS) answers.push(print(await ask(memory)));
    for (const [i, write] of WRITES.entries()) {
      answers.push(done[i] === true ? print(await applyWrite(memory, write)) : '');
    }
    for (const { ask } of QUESTIONS) answers.push(print(await ask(memory)));
    await memory.close();
    this.#answers.set(id, answers);
    return answers;
  }
}

async function fill(engine: Engine): Promise<void> {
  for (const name of REGIONS) {
    const type = name === 'kept-nowhere' ? 'EMPTY' : 'REPLICATE';
    await engine.createRegion({ name, type, keyConstraint: null, valueConstraint: null });
  }
  const orders = await engine.openRegion('orders');
  // In a mixed order, so that pages split as in practice.
  await orders?.write(
    FLIP_KEYS.map((_, i) => {
      const n = (i * 7) % FLIP_KEYS.length;
      return { kind: 'put', key: FLIP_KEYS[n] ?? '', value: flipValue(n) };
    }),
  );
  const others = await engine.openRegion('others');
  await others?.write([
    { kind: 'put', key: 'a', value: '{"n":1}' },
    { kind: 'put', key: 'b', value: '{"n":2}' },
  ]);
  await (await engine.openRegion('kept-nowhere'))?.write([{ kind: 'put', key: 'a', value: '{}' }]);
  const large = JSON.stringify({ text: 'x'.repeat(6 * PAGE_BYTES) });
  await orders?.write([{ kind: 'put', key: 'large', value: large }]);
  await orders?.write([
    { kind: 'remove', key: 'large' },
    { kind: 'remove', key: 'order-10' },
  ]);
}

/** Rewrites the file with small pages, some of them free. */
function shrinkPages(file: string): void {
  const database = new DatabaseSync(file);
  database.exec('PRAGMA journal_mode = DELETE');
  database.exec(`PRAGMA page_size = ${PAGE_BYTES}`);
  database.exec('VACUUM');
  database.exec('CREATE TABLE more(a)');
  database.exec(`INSERT INTO more VALUES(zeroblob(${6 * PAGE_BYTES}))`);
  database.exec('DROP TABLE more');
  database.close();
}

function exportAll(directory: string): string {
  const { close, entries, regions } = openStoredRegions(directory);
  try {
    return print(regions.map((region) => [region, [...entries(region.name)]]));
  } finally {
    close();
  }
}

/** Undefined when the store reports that it is damaged, which is as good as a right answer. */
function attempt<Result>(name: string, work: () => Result, found: string[]): Result | undefined {
  try {
    return work();
  } catch (error) {
    if (!isRefusal(error)) found.push(`${name}: ${String(error)}, ${String(causeOf(error))}`);
    return undefined;
  }
}

async function attemptLater(
  name: string,
  work: () => Promise<unknown>,
  found: string[],
): Promise<string | undefined> {
  try {
    return print(await work());
  } catch (error) {
    return attempt(
      name,
      () => {
        throw error;
      },
      found,
    );
  }
}

function isRefusal(error: unknown): boolean {
  return (
    error instanceof EngineError &&
    ['engine/store-damaged', 'engine/store-newer'].includes(error.code) &&
    error.message.includes('gridkeep.db')
  );
}

function causeOf(error: unknown): unknown {
  return error instanceof Error ? error.cause : undefined;
}

function print(answer: unknown): string {
  return JSON.stringify(answer) ?? 'undefined';
}

/** In one byte or two, which is enough for 8,000 bytes. */
/** BLOBs of one and two digits. */
const TYPES_OF_REFERENCE = [[14], [16]];

function typeOfText(text: string): readonly number[] {
  const type = 2 * Buffer.byteLength(text) + 13;
  return type < 128 ? [type] : [(type >> 7) | 128, type & 127];
}

/** Two engines make the same changes at different times. */
function withoutTimes(changes: string): string {
  return changes.replaceAll(/"atMs":-?\d+/g, '"atMs":0');
}

function isTextOrZero(byte: number): boolean {
  return byte === 0 || (byte >= 0x20 && byte < 0x7f);
}
