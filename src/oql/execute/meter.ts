// Measures rows and time of each node of a plan while a query runs. Only one node is active at a
// time; while it calls another, its own clock stops.

import type { NodeFigures, PlanNode } from '../plan/plan-node.ts';

export class Meter {
  readonly #now: () => number;
  readonly #figures = new Map<PlanNode, NodeFigures>();
  #active: NodeFigures | undefined;
  #activeSince = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Undefined for a node that was never reached. */
  readonly find = (node: PlanNode): NodeFigures | undefined => this.#figures.get(node);

  /** Adds rows, and the time that they took as a whole if it was not measured step by step. */
  addRows(node: PlanNode, rows: number, ms = 0): void {
    const figures = this.#of(node);
    figures.rows += rows;
    figures.ms += ms;
  }

  /** Runs a function, and adds its time to a node. */
  time<Result>(node: PlanNode, work: () => Result): Result {
    const previous = this.#switch(this.#of(node));
    try {
      return work();
    } finally {
      this.#switch(previous);
    }
  }

  /** Measures a generator: the time of each step, and its rows if they are to be counted. */
  *watch<Step, Result>(
    node: PlanNode,
    work: Generator<Step, Result>,
    count: ((step: Step) => number) | undefined,
  ): Generator<Step, Result> {
    for (;;) {
      const step = this.time(node, () => work.next());
      if (step.done === true) return step.value;
      if (count !== undefined) this.addRows(node, count(step.value));
      yield step.value;
    }
  }

  #switch(next: NodeFigures | undefined): NodeFigures | undefined {
    const now = this.#now();
    const previous = this.#active;
    if (previous !== undefined) previous.ms += now - this.#activeSince;
    this.#active = next;
    this.#activeSince = now;
    return previous;
  }

  #of(node: PlanNode): NodeFigures {
    const figures = this.#figures.get(node) ?? { rows: 0, ms: 0 };
    this.#figures.set(node, figures);
    return figures;
  }
}

/** Work in steps, measured if a meter is given. */
export function measured<Step, Result>(
  meter: Meter | undefined,
  node: PlanNode,
  work: Generator<Step, Result>,
  count?: (step: Step) => number,
): Generator<Step, Result> {
  return meter === undefined ? work : meter.watch(node, work, count);
}
