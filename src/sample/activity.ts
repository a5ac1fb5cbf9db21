// Simulates writes of a shop, so that feeds, live queries and charts of the sample grid change:
// orders are placed and processed, stock is sold and refilled. A few writes per second.

import type { Grid, GridRegion } from '../grid/index.ts';
import type { Random } from './random.ts';
import { ITEM_COUNT, makeActivityOrder, ORDER_COUNT } from './sample-entries.ts';

export interface ActivityOptions {
  readonly grid: Pick<Grid, 'region'>;
  readonly random: Random;
  /** Milliseconds since 1970. */
  readonly wallClock: () => number;
  /** Called with the error of a write; the next one is attempted anyway. */
  readonly onFailure: (error: unknown) => void;
}

/** The mean time between two writes. */
const PAUSE_MS = 250;
/** Orders beyond those of the sample; the oldest of them are overwritten. */
const MOST_NEW_ORDERS = 2_000;
/** The next status of an order. */
const NEXT_STATUS: ReadonlyMap<string, string> = new Map([
  ['placed', 'paid'],
  ['paid', 'shipped'],
  ['shipped', 'delivered'],
]);
const LOW_STOCK = 10;
const FULL_STOCK = 400;

/** Starts writing; returns a function that stops it and settles when the last write is done. */
export function startActivity(options: ActivityOptions): () => Promise<void> {
  const activity = new Activity(options);
  activity.schedule();
  return () => activity.stop();
}

class Activity {
  readonly #options: ActivityOptions;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #currentWrite: Promise<void> = Promise.resolve();
  #isStopped = false;
  #placed = 0;

  constructor(options: ActivityOptions) {
    this.#options = options;
  }

  schedule(): void {
    if (this.#isStopped) return;
    const delayMs = this.#options.random.between(1, 2 * PAUSE_MS);
    this.#timer = setTimeout(() => {
      this.#currentWrite = this.#writeOnce()
        .catch(this.#options.onFailure)
        .then(() => this.schedule());
    }, delayMs);
  }

  stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    return this.#currentWrite;
  }

  async #writeOnce(): Promise<void> {
    const { grid, random } = this.#options;
    const turn = random.between(0, 9);
    if (turn < 3) await this.#placeOrder(await grid.region('orders'));
    else if (turn < 7) await this.#moveOrder(await grid.region('orders'));
    else await this.#changeStock(await grid.region('items'));
  }

  async #placeOrder(orders: GridRegion): Promise<void> {
    const { random, wallClock } = this.#options;
    const index = ORDER_COUNT + (this.#placed % MOST_NEW_ORDERS);
    this.#placed += 1;
    await orders.put([makeActivityOrder(index, random, new Date(wallClock()))], []);
  }

  async #moveOrder(orders: GridRegion): Promise<void> {
    const key = String(100_001 + this.#options.random.between(0, ORDER_COUNT - 1));
    await replaceText(orders, key, /"status":"(\w+)"/, ([, status = '']) => {
      return `"status":"${NEXT_STATUS.get(status) ?? 'placed'}"`;
    });
  }

  async #changeStock(items: GridRegion): Promise<void> {
    const { random } = this.#options;
    const sku = `SKU-${String(random.between(1, ITEM_COUNT)).padStart(4, '0')}`;
    await replaceText(items, sku, /"stock":(\d+)/, ([, digits]) => {
      const stock = Number(digits);
      return `"stock":${stock < LOW_STOCK ? FULL_STOCK : stock - random.between(1, LOW_STOCK)}`;
    });
  }
}

/**
 * The rest of the document keeps its text. Members that a user removed or reshaped stay as they
 * are.
 */
async function replaceText(
  region: GridRegion,
  key: string,
  pattern: RegExp,
  print: (match: RegExpExecArray) => string,
): Promise<void> {
  const [entry] = await region.read([key]);
  if (entry === undefined || !pattern.test(entry.value)) return;
  await region.patch(
    { key },
    (current) => {
      const match = pattern.exec(current);
      return {
        kind: 'applied',
        text: match === null ? current : current.replace(pattern, print(match)),
      };
    },
    [],
  );
}
