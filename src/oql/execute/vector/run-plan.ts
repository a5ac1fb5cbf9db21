// Runs the result nodes of a plan over the rows that FROM and WHERE find, one operator per node,
// and writes the result to a sink. Operators process batches: some rows of a frame. Between
// batches, and within those that take long, the query yields to other requests.

import {
  type CountNode,
  type DistinctNode,
  type GroupNode,
  groupBelow,
  type LimitNode,
  type PlanNode,
  type ProjectNode,
  type ResultNode,
  type RowsNode,
  type SortNode,
} from '../../plan/plan-node.ts';
import { wait } from '../../reference/execute-reference.ts';
import { Pacer } from '../../reference/pacer.ts';
import { RowBudget } from '../../reference/row-budget.ts';
import type { RunContext } from '../../reference/run-context.ts';
import { createRun } from '../../reference/select-rows.ts';
import { isWait } from '../../reference/steps.ts';
import type { Meter } from '../meter.ts';
import { RowEncoder } from './codes/row-encoder.ts';
import { createContext, findRows } from './find-rows.ts';
import { isFirstFailure } from './first-failure.ts';
import { gather } from './frames/frame.ts';
import { countIndexRows, type IsEnough } from './frames/read-access.ts';
import { finishGroups } from './groups/finish-groups.ts';
import { GroupCodes } from './groups/group-keys.ts';
import { Grouper } from './groups/grouper.ts';
import { groupByBuildRows } from './joins/build-row-groups.ts';
import { Projector } from './output/projection.ts';
import type { Piece, RowSink } from './output/row-sink.ts';
import type { Matches, RowsRequest } from './predicates/row-filter.ts';
import { FailedRow, type Runtime, type VectorPlan } from './runtime.ts';
import { Scratch } from './scratch.ts';
import { columnBatchSize, computedBatchSize, inSlices } from './slices.ts';
import { Sorter } from './sorting/sorter.ts';

type RowBatch = Pick<Matches, 'frame' | 'rows'>;
type RowBatches = AsyncGenerator<RowBatch>;

export async function* runPlan<P extends Piece>(
  plan: VectorPlan,
  context: RunContext,
  sink: RowSink<P>,
  meter?: Meter,
): AsyncGenerator<P> {
  const run = new PlanRun(plan, context, sink, meter);
  try {
    for await (const piece of run.run()) {
      meter?.addRows(plan.root, piece.rows);
      yield piece;
    }
  } catch (error) {
    if (error instanceof FailedRow) error.isFirst = isFirstFailure(error, plan);
    throw error;
  } finally {
    run.scratch.free();
  }
}

class PlanRun<P extends Piece> {
  readonly scratch: Scratch = new Scratch();
  readonly #plan: VectorPlan;
  readonly #runtime: Runtime;
  readonly #sink: RowSink<P>;
  readonly #meter: Meter | undefined;
  readonly #pacer: Pacer;
  readonly #request: RowsRequest;
  readonly #computedBatchSize = computedBatchSize();
  readonly #columnBatchSize = columnBatchSize();

  constructor(plan: VectorPlan, context: RunContext, sink: RowSink<P>, meter: Meter | undefined) {
    this.#plan = plan;
    this.#runtime = plan.runtime;
    this.#sink = sink;
    this.#meter = meter;
    this.#pacer = new Pacer(context, plan.runtime.location.text);
    this.#request = { output: 'rows', pacer: this.#pacer, scratch: this.scratch, meter };
  }

  run(): AsyncGenerator<P> {
    this.#pacer.check();
    this.#runtime.requireAllEntries();
    const { root } = this.#plan;
    if (root.kind === 'count') return this.#count(root);
    const group = groupBelow(root.input);
    return group === undefined ? this.#project(root) : this.#projectGroups(root, group);
  }

  /** Opens the rows of a node. `isEnough` is called between frames if they are in order. */
  #open(node: RowsNode | ResultNode, projector: Projector, isEnough?: IsEnough): RowBatches {
    switch (node.kind) {
      case 'limit':
        return this.#limit(node, projector);
      case 'sort':
        return this.#sort(node, projector);
      case 'distinct':
        return this.#distinct(node, projector, { isEnough });
      case 'group':
        throw new Error('groups are not rows');
      default:
        return this.#rows(node, isEnough);
    }
  }

  async *#rows(node: RowsNode, isEnough: IsEnough | undefined): RowBatches {
    for (const batch of this.#find(node, { isEnough })) {
      if (batch.rows.length > 0) yield batch;
      if (this.#pacer.isSliceOver()) await this.#pacer.pause();
    }
  }

  #find(node: RowsNode, options: Partial<RowsRequest> = {}): Generator<Matches> {
    return findRows(this.#runtime, node, { ...this.#request, ...options });
  }

  /** Keeps the first row of each combination of projected values. */
  async *#distinct(
    node: DistinctNode,
    projector: Projector,
    { isEnough, sorter }: { readonly isEnough?: IsEnough | undefined; readonly sorter?: Sorter },
  ): RowBatches {
    const { budget, location } = this.#runtime;
    const encoder = new RowEncoder(projector.projections.map(({ key }) => key));
    const isComputed = projector.isComputed || sorter?.isComputed === true;
    for await (const { frame, rows } of this.#open(node.input, projector, isEnough)) {
      for await (const some of this.#pieces(rows, isComputed)) {
        sorter?.tryKeys(frame, some);
        const kept = this.#timed(node, () => gather(some, encoder.findNew(frame, some)));
        budget.keep(kept.length, location);
        this.#meter?.addRows(node, kept.length);
        yield { frame, rows: kept };
      }
    }
  }

  async *#sort(node: SortNode, projector: Projector): RowBatches {
    const sorter = new Sorter(this.#runtime, node);
    if (node.isWholeRegion) sorter.expectAll(this.#runtime.tableOf(0));
    await this.#fillSorter(node, sorter, projector);
    const sorted = await this.#drive(node, sorter.sort());
    const order = sorted.subarray(0, node.limit);
    this.#meter?.addRows(node, order.length);
    yield* sorter.rows.inOrder(order);
  }

  async #fillSorter(node: SortNode, sorter: Sorter, projector: Projector): Promise<void> {
    const mayPassOver = node.input.kind !== 'distinct' && !node.mayFail;
    const isComputed = sorter.isComputed || projector.isComputed;
    const isEnough = (): boolean => sorter.rows.size >= node.limit;
    const input =
      node.input.kind === 'distinct'
        ? this.#distinct(node.input, projector, { isEnough, sorter })
        : this.#open(node.input, projector, isEnough);
    for await (const { frame, rows } of input) {
      if (mayPassOver && sorter.skips(frame)) continue;
      for await (const some of this.#pieces(rows, isComputed)) {
        // Rows are projected before they are sorted, so a failure counts even if LIMIT drops the
        // row.
        if (node.mayFail) projector.tryRows(frame, some);
        this.#timed(node, () => sorter.add(frame, some));
      }
      if (sorter.isCutDue) await this.#drive(node, sorter.cut());
    }
  }

  async *#limit(node: LimitNode, projector: Projector): RowBatches {
    let skip = node.offset;
    let left = node.limit;
    if (left === 0) return;
    for await (const { frame, rows } of this.#open(node.input, projector)) {
      const skipped = Math.min(skip, rows.length);
      if (node.mayFail && skipped > 0) {
        // Rows that OFFSET skips are projected like the others.
        const passed = rows.subarray(0, skipped);
        for await (const some of this.#pieces(passed, projector.isComputed)) {
          projector.tryRows(frame, some);
        }
      }
      const taken = rows.subarray(skipped).subarray(0, Math.min(left, rows.length));
      skip -= skipped;
      left -= taken.length;
      this.#meter?.addRows(node, taken.length);
      yield { frame, rows: taken };
      if (left === 0) return;
    }
  }

  async *#project(node: ProjectNode): AsyncGenerator<P> {
    const projector = new Projector(this.#runtime);
    for await (const { frame, rows } of this.#open(node.input, projector)) {
      for await (const some of this.#pieces(rows, projector.isComputed)) {
        yield* this.#write(node, projector, { frame, rows: some });
      }
    }
    yield* this.#take();
  }

  async *#write(node: ProjectNode, projector: Projector, batch: RowBatch): AsyncGenerator<P> {
    const { frame } = batch;
    let left = batch.rows;
    while (left.length > 0) {
      const some = projector.isFromColumns
        ? { frame, rows: left, texts: [] }
        : await projector.readTexts(frame, left);
      // A few large values fill a piece.
      const count = this.#timed(node, () => this.#sink.writeRows(projector, some));
      left = left.subarray(count);
      if (this.#sink.isFull) yield* this.#take();
      if (left.length > 0 && this.#pacer.isSliceOver()) await this.#pacer.pause();
    }
  }

  *#take(): Generator<P> {
    const piece = this.#sink.take();
    if (piece === undefined) return;
    yield piece;
    this.#pacer.check();
  }

  async *#count(node: CountNode): AsyncGenerator<P> {
    const count = await this.#countInput(node);
    if (node.offset > 0) return;
    this.#sink.writeValue(count);
    yield* this.#take();
  }

  async #countInput({ input, limit }: CountNode): Promise<number> {
    if (input.kind === 'access' && input.access.kind === 'size') {
      this.#meter?.addRows(input, input.access.rows);
      return input.access.rows;
    }
    if (limit === 0) return 0;
    if (input.kind === 'distinct') return this.#countDistinct(input, limit);
    if (input.kind === 'access' && input.access.kind === 'count') {
      const { access } = input;
      const all = this.#timed(input, () => countIndexRows(this.#runtime.tableOf(0), access));
      this.#meter?.addRows(input, all);
      return Math.min(all, limit);
    }
    let count = 0;
    for (const matches of this.#find(input, { output: 'count' })) {
      count += matches.count;
      if (count >= limit) return limit;
      if (this.#pacer.isSliceOver()) await this.#pacer.pause();
    }
    return count;
  }

  async #countDistinct(node: DistinctNode, limit: number): Promise<number> {
    let count = 0;
    for await (const { rows } of this.#distinct(node, new Projector(this.#runtime), {})) {
      count += rows.length;
      if (count >= limit) return limit;
    }
    return count;
  }

  /** Nothing is sent before the last group is complete: it may fail. */
  async *#projectGroups({ input }: ProjectNode, node: GroupNode): AsyncGenerator<P> {
    if (input.kind === 'limit' && input.limit === 0) return;
    const groups = await this.#collectGroups(node);
    const pieces: P[] = [];
    // Groups were counted against the row limit when they were opened.
    const run = createRun(this.#runtime.environment, this.#pacer, new RowBudget());
    const steps = { runtime: this.#runtime, groups, run, meter: this.#meter };
    for (const step of finishGroups(input, steps)) {
      if (isWait(step)) {
        await wait(step, this.#pacer);
        continue;
      }
      this.#sink.writeValue(step.value);
      if (this.#sink.isFull) pieces.push(...this.#take());
    }
    for (const piece of [...pieces, ...this.#take()]) {
      yield piece;
      if (this.#pacer.isSliceOver()) await this.#pacer.pause();
    }
  }

  async #collectGroups(node: GroupNode): Promise<Grouper> {
    const { groups, grouping, input } = node;
    const codes = new GroupCodes(this.#runtime, grouping);
    const join = groups === 'build-rows' && input.kind === 'hash-join' ? input : undefined;
    const context = createContext(this.#runtime, this.#request);
    const finder =
      join === undefined ? codes : await this.#drive(join, groupByBuildRows(context, join, codes));
    const grouper = new Grouper(this.#runtime, grouping, codes, finder);
    const found =
      join === undefined ? this.#find(input) : this.#find(join.input, { probe: join.earlier });
    for (const { frame, rows } of found) {
      for await (const some of this.#pieces(rows, grouper.isComputed)) {
        this.#timed(node, () => grouper.add(frame, some));
      }
    }
    if (join !== undefined) this.#meter?.addRows(join, grouper.rows);
    return grouper;
  }

  /** Splits rows into pieces that take a short time each. */
  #pieces(rows: Uint32Array, isComputed: boolean): AsyncGenerator<Uint32Array> {
    const size = isComputed ? this.#computedBatchSize : this.#columnBatchSize;
    return inSlices(rows, this.#pacer, size);
  }

  #timed<Result>(node: PlanNode, work: () => Result): Result {
    return this.#meter === undefined ? work() : this.#meter.time(node, work);
  }

  /** Runs work to its end, with pauses at its yield points. */
  async #drive<Result>(node: PlanNode, work: Generator<unknown, Result>): Promise<Result> {
    for (;;) {
      const step = this.#timed(node, () => work.next());
      if (step.done === true) return step.value;
      if (this.#pacer.isSliceOver()) await this.#pacer.pause();
    }
  }
}
