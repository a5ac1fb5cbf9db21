// What happened at each node of a plan while a query ran: rows given and time spent. Only one node
// works at a time; while one calls another, its own clock stands still.

import type { NodeFigures, NodeId } from '../../plan/plan-node.ts';

export class Meter {
  readonly #now: () => number;
  readonly #figures = new Map<NodeId, NodeFigures>();
  #working: NodeFigures | undefined;
  #since = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** By the id of the node; undefined for one that was never reached. */
  find(id: NodeId): NodeFigures | undefined {
    return this.#figures.get(id);
  }

  addRows(id: NodeId, rows: number): void {
    this.#of(id).rows += rows;
  }

  /** Runs something on behalf of a node. */
  time<Result>(id: NodeId, work: () => Result): Result {
    const before = this.#switch(this.#of(id));
    try {
      return work();
    } finally {
      this.#switch(before);
    }
  }

  /** Watches a source: the time each step takes, and how many rows it gives. */
  *watch<Item>(id: NodeId, items: Generator<Item>, count: (item: Item) => number): Generator<Item> {
    for (;;) {
      const next = this.time(id, () => items.next());
      if (next.done === true) return;
      this.addRows(id, count(next.value));
      yield next.value;
    }
  }

  #switch(next: NodeFigures | undefined): NodeFigures | undefined {
    const now = this.#now();
    const before = this.#working;
    if (before !== undefined) before.ms += now - this.#since;
    this.#working = next;
    this.#since = now;
    return before;
  }

  #of(id: NodeId): NodeFigures {
    const known = this.#figures.get(id);
    if (known !== undefined) return known;
    const created = { rows: 0, ms: 0 };
    this.#figures.set(id, created);
    return created;
  }
}

/** Runs a generator to its end, its time counted if somebody wants to know. */
export function* timeSteps<Step, Result>(
  meter: Meter | undefined,
  id: NodeId,
  work: Generator<Step, Result>,
): Generator<Step, Result> {
  if (meter === undefined) return yield* work;
  for (;;) {
    const step = meter.time(id, () => work.next());
    if (step.done === true) return step.value;
    yield step.value;
  }
}
