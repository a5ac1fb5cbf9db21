// The oracle of unique indexes: a map of all entries, scanned after each change.

import assert from 'node:assert/strict';
import { type Grid, GridError } from '../../src/grid/index.ts';
import { createRandom } from '../../src/sample/random.ts';

export const REGION = 'people';

type NewIndex = Parameters<Grid['createIndex']>[1];

export const UNIQUE_INDEXES: readonly NewIndex[] = [
  { name: 'by-mail', expression: 'LOWER(p.mail)', from: '/people p', unique: true },
  { name: 'by-number', expression: 'p.n', from: '/people p', kind: 'hash', unique: true },
  { name: 'by-place', expression: 'p.row, p.seat', from: '/people p', unique: true },
];

type Person = Readonly<Record<'mail' | 'n' | 'row' | 'seat', unknown>>;
type Entries = Map<string, Person>;
type Change = { readonly key: string; readonly value: Person | undefined };

/** The value of an entry in each index, as text. */
function valuesOf({ mail, n, row, seat }: Person): readonly (string | undefined)[] {
  const plain = (value: unknown): string | undefined =>
    value == null ? undefined : JSON.stringify(value);
  return [
    typeof mail === 'string' ? mail.toLowerCase() : undefined,
    plain(n),
    plain(row) === undefined || plain(seat) === undefined
      ? undefined
      : `${plain(row)},${plain(seat)}`,
  ];
}

/** Entries that have the same value of an index. */
export function findDuplicates(entries: Iterable<readonly [string, Person]>): readonly string[] {
  const seen = new Map<string, string>();
  const duplicates: string[] = [];
  for (const [key, person] of entries) {
    for (const [i, value] of valuesOf(person).entries()) {
      if (value === undefined) continue;
      const other = seen.get(`${i} ${value}`);
      if (other !== undefined) duplicates.push(`${other} and ${key}: ${i} ${value}`);
      seen.set(`${i} ${value}`, key);
    }
  }
  return duplicates;
}

export async function readAll(grid: Grid): Promise<ReadonlyMap<string, Person>> {
  const region = await grid.region(REGION);
  const keys = Array.from({ length: 8 }, (_, i) => `k${i}`);
  const entries = await region.read(keys);
  return new Map(
    keys.flatMap((key, i) => {
      const entry = entries[i];
      return entry === undefined ? [] : [[key, JSON.parse(entry.value) as Person]];
    }),
  );
}

/** Random writes of every kind through grids of one store, each in turn. */
export class RandomWrites {
  readonly #grids: readonly [Grid, ...Grid[]];
  readonly #random: ReturnType<typeof createRandom>;
  #model: Entries = new Map();
  refused = 0;
  done = 0;

  constructor(grids: readonly [Grid, ...Grid[]], seed: number) {
    this.#grids = grids;
    this.#random = createRandom(seed);
  }

  /** Makes one write, whose outcome must equal that of the model. */
  async step(): Promise<void> {
    const grid = this.#random.pick(this.#grids);
    const region = await grid.region(REGION);
    switch (this.#random.between(0, 9)) {
      case 0:
      case 1:
      case 2:
        return this.#together([this.#put()], ([change]) =>
          region.put([toEntry(change)], []).then(() => undefined),
        );
      case 3:
        return this.#together(this.#puts(), (changes) =>
          region.put(changes.map(toEntry), []).then(() => undefined),
        );
      case 4:
        return this.#remove(grid);
      case 5:
        return this.#patch(grid);
      case 6:
        return this.#bulk(grid);
      case 7:
        if (this.#random.between(0, 5) > 0) return this.step();
        await region.clear();
        this.#model = new Map();
        return undefined;
      default:
        return this.#together(this.#mixed(), (changes) =>
          grid
            .transact({
              conditions: [],
              operations: changes.map((change) =>
                change.value === undefined
                  ? { region: REGION, op: 'remove', key: change.key }
                  : { region: REGION, op: 'put', ...toEntry(change) },
              ),
              end: 'keep',
            })
            .then(() => undefined),
        );
    }
  }

  async check(): Promise<void> {
    for (const grid of this.#grids) {
      assert.deepEqual(await readAll(grid), new Map([...this.#model].sort()));
    }
    assert.deepEqual(findDuplicates(this.#model), []);
  }

  #person(): Person {
    const pick = (...items: readonly [unknown, ...unknown[]]): unknown => this.#random.pick(items);
    return {
      mail: pick('ann@x', 'Ann@x', 'bob@x', 'eve@x', null, undefined, 7, 'a\0b', '\ud800'),
      n: pick(1, 1.5, 2, '1', true, null, undefined, undefined, [1, { a: 'x'.repeat(500) }]),
      row: pick(1, 2, null, 'a,b'),
      seat: pick(1, 2, undefined),
    };
  }

  #key(): string {
    return `k${this.#random.between(0, 7)}`;
  }

  #put(): Change {
    return { key: this.#key(), value: this.#person() };
  }

  #puts(): readonly Change[] {
    const changes = Array.from({ length: this.#random.between(2, 4) }, () => this.#put());
    return [...new Map(changes.map((change) => [change.key, change])).values()];
  }

  /** Also entries that swap their values. */
  #mixed(): readonly Change[] {
    const present = [...this.#model];
    const [first, second] = [this.#random.pick([0, 1]), this.#random.between(0, 7)];
    const one = present[first];
    const other = present[second];
    if (one === undefined || other === undefined || one === other) return this.#puts();
    const swapped = [
      { key: one[0], value: other[1] },
      { key: other[0], value: this.#random.between(0, 2) === 0 ? undefined : one[1] },
    ];
    return swapped;
  }

  async #together(
    changes: readonly Change[],
    write: (changes: readonly Change[]) => Promise<void>,
  ): Promise<void> {
    const after = apply(this.#model, changes);
    const isRight = findDuplicates(after).length === 0;
    const code = await codeOf(write(changes));
    assert.equal(code, isRight ? 'done' : 'grid/not-unique', JSON.stringify(changes));
    this.#note(isRight);
    if (isRight) this.#model = after;
  }

  async #remove(grid: Grid): Promise<void> {
    const key = this.#key();
    const region = await grid.region(REGION);
    const code = await codeOf(region.remove([key], []));
    assert.equal(code, this.#model.has(key) ? 'done' : 'grid/keys-not-found');
    this.#model.delete(key);
  }

  async #patch(grid: Grid): Promise<void> {
    const { key, value } = this.#put();
    const before = this.#model.get(key);
    const region = await grid.region(REGION);
    const text = JSON.stringify(value);
    if (before === undefined) return;
    await this.#together([{ key, value }], async () => {
      await region.patch({ key }, () => ({ kind: 'applied', text }), []);
    });
  }

  /** Makes the changes one after another. */
  async #bulk(grid: Grid): Promise<void> {
    const changes = Array.from({ length: 5 }, () => this.#put());
    const load = await grid.bulkLoad(REGION);
    const { results } = await load.write(
      changes.map((change) => ({ op: 'put', ...toEntry(change) })),
    );
    for (const [i, change] of changes.entries()) {
      const after = apply(this.#model, [change]);
      const isRight = findDuplicates(after).length === 0;
      const result = results[i];
      const code = result instanceof GridError ? result.code : 'done';
      assert.equal(code, isRight ? 'done' : 'grid/not-unique', JSON.stringify([i, changes]));
      this.#note(isRight);
      if (isRight) this.#model = after;
    }
  }

  #note(isRight: boolean): void {
    if (isRight) this.done += 1;
    else this.refused += 1;
  }
}

function toEntry(change: Change | undefined): { readonly key: string; readonly value: string } {
  return { key: change?.key ?? '', value: JSON.stringify(change?.value) };
}

function apply(entries: Entries, changes: readonly Change[]): Entries {
  const after = new Map(entries);
  for (const { key, value } of changes) {
    if (value === undefined) after.delete(key);
    // As it is read back: without absent members.
    else after.set(key, JSON.parse(JSON.stringify(value)) as Person);
  }
  return after;
}

/** `done`, or the code of the error. */
export async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'done';
  } catch (error) {
    if (error instanceof GridError) return error.code;
    throw error;
  }
}
