// Rows of a list of any length, by index. The service returns pages after a key, not at an index.
// So the key before every visited block is cached, and a distant block is reached by walking over
// keys only, from the nearest known position or from the end. Only blocks around the shown rows are
// held, so memory stays constant.
//
//   blocks   0       1       2      …      9,999
//   cached   –       key 99  key 199       key 999,899      (the key before the block)

export interface Row {
  readonly key: string;
  readonly version: number;
  /** The beginning of the value; undefined where values are too large to be read for a list. */
  readonly preview: string | undefined;
}

export interface RowPage {
  readonly rows: readonly Row[];
  readonly hasMore: boolean;
}

export interface RowRequest {
  readonly after: string | undefined;
  readonly order: 'asc' | 'desc';
  readonly limit: number;
  /** `keys`: without values. */
  readonly want: 'rows' | 'keys';
  readonly signal: AbortSignal;
}

export type ReadRows = (request: RowRequest) => Promise<RowPage>;

export const BLOCK = 100;
/** Blocks held on each side of the shown ones. */
const AROUND = 4;
/** Rows of one step of a walk. */
const STRIDE = 5000;

export class RowWindow {
  readonly #read: ReadRows;
  readonly #onChange: () => void;
  readonly #blocks = new Map<number, readonly Row[]>();
  readonly #loading = new Map<number, AbortController>();
  /** The key before a block. */
  readonly #keysBefore = new Map<number, string>();
  #total: number;
  #wanted: readonly [first: number, last: number] = [0, 0];
  #walk: { readonly block: number; readonly controller: AbortController } | undefined;
  #failure: unknown;

  /** `total`: the number of rows, which changes when rows are added or removed. */
  constructor(read: ReadRows, total: number, onChange: () => void) {
    this.#read = read;
    this.#total = total;
    this.#onChange = onChange;
  }

  get total(): number {
    return this.#total;
  }

  get failure(): unknown {
    return this.#failure;
  }

  /** Rows held now; for tests of memory. */
  get heldRows(): number {
    return [...this.#blocks.values()].reduce((sum, rows) => sum + rows.length, 0);
  }

  /** Undefined while it is loading. */
  row(index: number): Row | undefined {
    return this.#blocks.get(Math.floor(index / BLOCK))?.[index % BLOCK];
  }

  /** The index of a key; undefined if its row is not held. */
  indexOf(key: string | undefined): number | undefined {
    for (const [block, rows] of this.#blocks) {
      const at = rows.findIndex((row) => row.key === key);
      if (at >= 0) return block * BLOCK + at;
    }
    return undefined;
  }

  /** Sets the shown rows: loads them, and drops others. */
  show(first: number, last: number): void {
    this.#wanted = [
      Math.floor(Math.max(0, first) / BLOCK),
      Math.floor(Math.max(0, Math.min(last, this.#total - 1)) / BLOCK),
    ];
    this.#dropDistant();
    this.#load();
  }

  /** Retries failed loads. */
  retry(): void {
    this.#failure = undefined;
    this.#load();
  }

  close(): void {
    for (const controller of this.#loading.values()) controller.abort();
    this.#walk?.controller.abort();
  }

  #load(): void {
    if (this.#failure !== undefined || this.#total === 0) return;
    const [first, last] = this.#wanted;
    for (let block = first; block <= last; block++) {
      if (this.#blocks.has(block) || this.#loading.has(block)) continue;
      if (block === 0 || this.#keysBefore.has(block)) void this.#loadBlock(block);
      else if (block === first) this.#walkTo(block);
    }
  }

  async #loadBlock(block: number): Promise<void> {
    const controller = new AbortController();
    this.#loading.set(block, controller);
    try {
      const { hasMore, rows } = await this.#read({
        after: this.#keysBefore.get(block),
        order: 'asc',
        limit: BLOCK,
        want: 'rows',
        signal: controller.signal,
      });
      this.#take(block, rows, hasMore);
    } catch (error) {
      if (!controller.signal.aborted) this.#failure = error;
    } finally {
      this.#loading.delete(block);
    }
    if (controller.signal.aborted) return;
    this.#load();
    this.#onChange();
  }

  #take(block: number, rows: readonly Row[], hasMore: boolean): void {
    this.#blocks.set(block, rows);
    const lastKey = rows.at(-1)?.key;
    if (hasMore && lastKey !== undefined) {
      this.#keysBefore.set(block + 1, lastKey);
      // There are more rows than were counted.
      this.#total = Math.max(this.#total, (block + 1) * BLOCK + 1);
    } else {
      this.#total = block * BLOCK + rows.length;
    }
  }

  /** Finds the key before the block; does not keep rows on the way. */
  #walkTo(block: number): void {
    if (this.#walk?.block === block) return;
    this.#walk?.controller.abort();
    const controller = new AbortController();
    this.#walk = { block, controller };
    const below = this.#nearestBelow(block);
    const blocks = Math.ceil(this.#total / BLOCK);
    const walk =
      block - below <= blocks - block
        ? this.#walkUp(below, block, controller.signal)
        : this.#walkDown(block, controller.signal);
    walk
      .catch((error: unknown) => {
        if (!controller.signal.aborted) this.#failure = error;
      })
      .finally(() => {
        if (controller.signal.aborted) return;
        this.#walk = undefined;
        this.#load();
        this.#onChange();
      });
  }

  async #walkUp(from: number, to: number, signal: AbortSignal): Promise<void> {
    let index = from * BLOCK;
    let after = this.#keysBefore.get(from);
    while (index < to * BLOCK) {
      const limit = Math.min(STRIDE, to * BLOCK - index);
      const page = await this.#read({ after, order: 'asc', limit, want: 'keys', signal });
      page.rows.forEach(({ key }, i) => {
        const position = index + i + 1;
        if (position % BLOCK === 0) this.#keysBefore.set(position / BLOCK, key);
      });
      index += page.rows.length;
      after = page.rows.at(-1)?.key;
      if (!page.hasMore) {
        this.#total = index;
        return;
      }
    }
  }

  /** From the last row, whose index is known from the total. */
  async #walkDown(to: number, signal: AbortSignal): Promise<void> {
    let index = this.#total - 1;
    let after: string | undefined;
    while (index >= to * BLOCK - 1) {
      const limit = Math.min(STRIDE, index - to * BLOCK + 2);
      const page = await this.#read({ after, order: 'desc', limit, want: 'keys', signal });
      page.rows.forEach(({ key }, i) => {
        const position = index - i + 1;
        if (position % BLOCK === 0) this.#keysBefore.set(position / BLOCK, key);
      });
      index -= page.rows.length;
      after = page.rows.at(-1)?.key;
      if (!page.hasMore || page.rows.length === 0) return;
    }
  }

  #nearestBelow(block: number): number {
    for (let below = block; below > 0; below--) if (this.#keysBefore.has(below)) return below;
    return 0;
  }

  #dropDistant(): void {
    const [first, last] = this.#wanted;
    const isNear = (block: number): boolean => block >= first - AROUND && block <= last + AROUND;
    for (const block of this.#blocks.keys()) if (!isNear(block)) this.#blocks.delete(block);
    for (const [block, controller] of this.#loading) {
      if (isNear(block)) continue;
      controller.abort();
      this.#loading.delete(block);
    }
  }
}
