// Runs a select over columns, batch by batch. The result is the reference evaluator's, row for row,
// as JSON bytes; where columns cannot settle it, `AskReference` is thrown and what was delivered so
// far is the beginning of the reference's result.

import { printJson } from '../../../value/json-print.ts';
import type { Value } from '../../../value/value.ts';
import type { BoundQuery } from '../../bind/bound-query.ts';
import type { IndexFacts, SourceTable } from '../../columnar/column-source.ts';
import { neverFails } from '../../columnar/conjuncts.ts';
import { withKeyIndex } from '../../columnar/key-index.ts';
import type { VectorShape } from '../../columnar/shape.ts';
import type { NodeId } from '../../plan/plan-node.ts';
import { Pacer } from '../../reference/pacer.ts';
import { RowBudget } from '../../reference/row-budget.ts';
import type { Run } from '../../reference/run.ts';
import { DEFAULT_MAX_ROWS_KEPT, type RunContext } from '../../reference/run-context.ts';
import { type Flow, isWait, PAUSE, type Task, type Wait } from '../../reference/steps.ts';
import type { Matches, Wanted } from './conditions/judge.ts';
import { isFirstFailure } from './first-failure.ts';
import type { Frame } from './frames/frame.ts';
import { countRows, readAccess } from './frames/read-access.ts';
import { firstRows } from './frames/scan-frames.ts';
import { DistinctFilter } from './groups/distinct.ts';
import { finishGroups } from './groups/finish-groups.ts';
import { Grouper } from './groups/grouper.ts';
import { restoreOrder } from './joins/restore-order.ts';
import type { Meter } from './meter.ts';
import { JsonWriter } from './output/json-writer.ts';
import { Projector } from './output/projection.ts';
import { Pipeline } from './pipeline.ts';
import { createSteps, rowCount } from './run-parts.ts';
import { FailedRow, Runtime } from './runtime.ts';
import { columnPace, computedPace, inSlices } from './slices.ts';
import { Sorter } from './sorting/sorter.ts';
import { planColumns, type VectorPlan } from './vector-plan.ts';

/** Result rows as JSON, joined by commas. */
export interface JsonRows {
  readonly rows: number;
  readonly json: Uint8Array;
}

/** Rows of a sorted result that are printed at a time: they lie anywhere, which takes longer. */
const SORTED_BATCH = 1024;
const NO_ROWS = new Uint32Array(0);

export interface VectorQuery {
  readonly query: BoundQuery;
  readonly shape: VectorShape;
  readonly tables: readonly SourceTable[];
  readonly context: RunContext;
  /** Indexes of the regions, by table; those that were asked for with the tables can be used. */
  readonly indexes?: readonly (readonly IndexFacts[])[];
}

/** Plans and runs, with a pause between the two where planning took long. */
export async function* executeVector(vectorQuery: VectorQuery): AsyncGenerator<JsonRows> {
  const { context, query } = vectorQuery;
  const pacer = new Pacer(context, query.text);
  const plan = planVector(vectorQuery);
  if (pacer.isSliceOver()) await pacer.pause();
  yield* executePlan(plan, context);
}

/** How the query will be run, decided with its data at hand. */
export function planVector({ query, shape, tables, context, indexes }: VectorQuery): VectorPlan {
  const budget = new RowBudget(context.maxRowsKept ?? DEFAULT_MAX_ROWS_KEPT);
  const { parameters } = context;
  const runtime = new Runtime(query, shape, tables, { parameters, budget });
  const { limit, offset } = shape.select;
  const rows = rowCount(runtime, limit, context) ?? Number.POSITIVE_INFINITY;
  const wanted = rows + (rowCount(runtime, offset, context) ?? 0);
  return planColumns(runtime, { indexes: withKeyIndex(shape, indexes ?? []), wanted });
}

/** Runs a plan, under the eyes of a meter if somebody wants to know. */
export function executePlan(
  plan: VectorPlan,
  context: RunContext,
  meter?: Meter,
): AsyncGenerator<JsonRows> {
  return new VectorRun(plan, context, meter).execute();
}

class VectorRun {
  readonly #plan: VectorPlan;
  readonly #runtime: Runtime;
  readonly #steps: Run;
  readonly #pacer: Pacer;
  readonly #meter: Meter | undefined;
  readonly #limit: number;
  readonly #offset: number;
  readonly #projectionsNeverFail: boolean;
  readonly #nowhere = new JsonWriter();
  readonly #writer: JsonWriter;
  readonly #computedPace = computedPace();
  readonly #columnPace = columnPace();
  #written = 0;

  constructor(plan: VectorPlan, context: RunContext, meter: Meter | undefined) {
    this.#plan = plan;
    this.#meter = meter;
    this.#writer = new JsonWriter(context.form);
    this.#runtime = plan.runtime;
    const { select } = plan.runtime.shape;
    this.#pacer = new Pacer(context, plan.runtime.place.text);
    this.#steps = createSteps(plan.runtime, this.#pacer);
    this.#limit = rowCount(plan.runtime, select.limit, context) ?? Number.POSITIVE_INFINITY;
    this.#offset = rowCount(plan.runtime, select.offset, context) ?? 0;
    this.#projectionsNeverFail = select.projections.every(({ expression }) =>
      neverFails(expression),
    );
  }

  async *execute(): AsyncGenerator<JsonRows> {
    try {
      for await (const piece of this.#run()) {
        this.#meter?.addRows('result', piece.rows);
        yield piece;
      }
    } catch (error) {
      if (error instanceof FailedRow) {
        error.isFirst = isFirstFailure(error, this.#plan, this.#limit);
      }
      throw error;
    }
  }

  async *#run(): AsyncGenerator<JsonRows> {
    this.#pacer.check();
    this.#runtime.requireAllEntries();
    const { select } = this.#runtime.shape;
    if (select.shape === 'count' && !select.distinct) {
      yield* this.#values([await this.#count()], Number.POSITIVE_INFINITY);
    } else if (select.shape === 'count') {
      yield* this.#values([await this.#countDistinct()], Number.POSITIVE_INFINITY);
    } else if (this.#limit === 0) {
      return;
    } else if (select.grouping !== undefined) {
      yield* await this.#group();
    } else if (this.#plan.sorts) {
      yield* this.#sort();
    } else {
      yield* this.#stream();
    }
  }

  /** Every visible row of one region is sorted. */
  #takesAllRows(): boolean {
    const { select } = this.#runtime.shape;
    const isOneScan = select.iterators.length === 1 && this.#plan.access.kind === 'scan';
    return isOneScan && select.where === undefined && !select.distinct;
  }

  /** `isEnough` is asked between frames of a plan that reads in order. */
  #matches(wanted: Wanted, isEnough?: () => boolean): Generator<Matches> {
    const { access, order, restoresOrder } = this.#plan;
    const scan = { table: this.#runtime.tableOf(0), slots: this.#runtime.slots, before: [] };
    const frames = readAccess(scan, access, isEnough);
    const first = this.#meter?.watch('access', frames, ({ frame }) => frame.size) ?? frames;
    const found = new Pipeline(this.#plan, wanted, { pacer: this.#pacer, meter: this.#meter }).run(
      first,
    );
    if (!restoresOrder) return found;
    const restored = restoreOrder(this.#runtime, order, found);
    return this.#meter?.watch('restore-order', restored, ({ count }) => count) ?? restored;
  }

  #timed<Result>(id: NodeId, work: () => Result): Result {
    return this.#meter === undefined ? work() : this.#meter.time(id, work);
  }

  /** A plain count of one region ignores LIMIT; any other counts no further. */
  async #count(): Promise<number> {
    const { access } = this.#plan;
    if (access.kind === 'size') return this.#runtime.tableOf(0).entryCount;
    let count = 0;
    if (this.#limit === 0) return 0;
    if (access.kind === 'count') {
      const all = this.#timed('access', () => countRows(this.#runtime.tableOf(0), access));
      this.#meter?.addRows('access', all);
      return Math.min(all, this.#limit);
    }
    for (const matches of this.#matches('count')) {
      count += matches.count;
      if (count >= this.#limit) return this.#limit;
      if (this.#pacer.isSliceOver()) await this.#pacer.pause();
    }
    return count;
  }

  async #countDistinct(): Promise<number> {
    const { select } = this.#runtime.shape;
    const isPlain = select.where === undefined && select.iterators.length === 1;
    const most = isPlain ? Number.POSITIVE_INFINITY : this.#limit;
    const projector = new Projector(this.#runtime);
    const distinct = new DistinctFilter(this.#runtime, projector);
    let count = 0;
    if (most === 0) return 0;
    for (const { frame, rows } of this.#matches('rows')) {
      for await (const some of this.#pieces(rows, projector.isComputed)) {
        count += this.#keepDistinct(distinct, frame, some).length;
        if (count >= most) return most;
      }
    }
    return count;
  }

  /** Nothing goes out before the last group is there: it may fail. */
  async #group(): Promise<readonly JsonRows[]> {
    const grouper = new Grouper(this.#runtime);
    for (const { frame, rows } of this.#matches('rows')) {
      for await (const some of this.#pieces(rows, grouper.isComputed)) {
        this.#timed('group', () => grouper.add(frame, some));
      }
    }
    this.#meter?.addRows('group', grouper.size);
    const wanted = this.#offset + this.#limit;
    return this.#print(finishGroups(this.#runtime, grouper, wanted, this.#steps), wanted);
  }

  /** Values as pieces of the result, from OFFSET up to the last that is wanted. */
  async #print(values: Flow<Value>, wanted: number): Promise<readonly JsonRows[]> {
    const pieces: JsonRows[] = [];
    for (let count = 0; ; ) {
      const step = this.#timed('group', () => values.next());
      if (step.done === true) break;
      if (isWait(step.value)) {
        await this.#wait(step.value);
        continue;
      }
      count += 1;
      if (count > this.#offset && count <= wanted) this.#writeValue(step.value);
      if (this.#writer.isFull) pieces.push(...this.#flush());
    }
    return [...pieces, ...this.#flush()];
  }

  async *#sort(): AsyncGenerator<JsonRows> {
    const wanted = this.#offset + this.#limit;
    const projector = new Projector(this.#runtime);
    const sorter = new Sorter(this.#runtime, wanted);
    if (this.#takesAllRows()) sorter.expectAll(this.#runtime.tableOf(0));
    await this.#fillSorter(sorter, projector, wanted);
    const sorted = await this.#drive('sort', sorter.sort(this.#steps));
    const order = sorted.subarray(this.#offset, wanted);
    this.#meter?.addRows('sort', order.length);
    for (let start = 0; start < order.length; start += SORTED_BATCH) {
      const frame = sorter.frame(order.subarray(start, start + SORTED_BATCH));
      for await (const some of this.#slices(firstRows(frame.size), projector.isComputed)) {
        yield* this.#write(projector, frame, some);
      }
    }
    yield* this.#flush();
  }

  async #fillSorter(sorter: Sorter, projector: Projector, wanted: number): Promise<void> {
    const distinct = this.#distinct(projector);
    const mayPassOver = distinct === undefined && this.#projectionsNeverFail;
    const isComputed = sorter.isComputed || projector.isComputed;
    for (const { frame, rows } of this.#matches('rows', () => sorter.size >= wanted)) {
      // A border to pause at comes with a frame that may not have all iterators yet.
      const isRefused = rows.length > 0 && mayPassOver && sorter.refuses(frame);
      const added = isRefused ? NO_ROWS : rows;
      for await (const some of this.#pieces(added, isComputed)) {
        const kept = distinct === undefined ? some : this.#keepDistinct(distinct, frame, some);
        // All rows are projected before they are sorted, so one that fails counts even if it is cut.
        this.#tryProjections(projector, frame, kept);
        this.#timed('sort', () => sorter.add(frame, kept));
      }
      if (sorter.isCutDue) await this.#drive('sort', sorter.cut(this.#steps));
    }
  }

  async *#stream(): AsyncGenerator<JsonRows> {
    const projector = new Projector(this.#runtime);
    const distinct = this.#distinct(projector);
    let skip = this.#offset;
    let left = this.#limit;
    const { isComputed } = projector;
    for (const { frame, rows } of this.#matches('rows')) {
      const pieces =
        distinct === undefined ? this.#slices(rows, isComputed) : this.#pieces(rows, isComputed);
      for await (const some of pieces) {
        const kept = distinct === undefined ? some : this.#keepDistinct(distinct, frame, some);
        const skipped = Math.min(skip, kept.length);
        // Rows that OFFSET passes over are projected like the others.
        this.#tryProjections(projector, frame, kept.subarray(0, skipped));
        const taken = kept.subarray(skipped).subarray(0, Math.min(left, kept.length));
        skip -= skipped;
        left -= taken.length;
        yield* this.#write(projector, frame, taken);
        if (left === 0) return yield* this.#flush();
      }
    }
    yield* this.#flush();
  }

  /** Rows to be taken in, as many at a time as take not too long. */
  async *#pieces(rows: Uint32Array, isComputed: boolean): AsyncGenerator<Uint32Array> {
    yield* inSlices(rows, this.#pacer, isComputed ? this.#computedPace : this.#columnPace);
    if (this.#pacer.isSliceOver()) await this.#pacer.pause();
  }

  /** Rows to be written, which pauses by itself unless they are computed. */
  async *#slices(rows: Uint32Array, isComputed: boolean): AsyncGenerator<Uint32Array> {
    if (isComputed) yield* inSlices(rows, this.#pacer, this.#computedPace);
    else if (rows.length > 0) yield rows;
    if (this.#pacer.isSliceOver()) await this.#pacer.pause();
  }

  /** Fails where a projection of these rows would, and leaves nothing else behind. */
  #tryProjections(projector: Projector, frame: Frame, rows: Uint32Array): void {
    if (this.#projectionsNeverFail) return;
    for (let at = 0; at < rows.length; this.#nowhere.take()) {
      at += projector.write(frame, rows.subarray(at), this.#nowhere);
    }
  }

  #keepDistinct(distinct: DistinctFilter, frame: Frame, rows: Uint32Array): Uint32Array {
    const kept = this.#timed('distinct', () => distinct.filter(frame, rows));
    this.#meter?.addRows('distinct', kept.length);
    return kept;
  }

  #distinct(projector: Projector): DistinctFilter | undefined {
    if (!this.#runtime.shape.select.distinct) return undefined;
    return new DistinctFilter(this.#runtime, projector);
  }

  async *#write(projector: Projector, frame: Frame, rows: Uint32Array): AsyncGenerator<JsonRows> {
    let left = rows;
    while (left.length > 0) {
      const texts = projector.isFromColumns ? undefined : await projector.readTexts(frame, left);
      const some = left.subarray(0, texts?.rows);
      // Of large values a few are a piece already.
      const count = this.#timed('result', () =>
        projector.write(frame, some, this.#writer, texts?.byProjection),
      );
      this.#written += count;
      this.#meter?.addRows('limit', count);
      left = left.subarray(count);
      if (this.#writer.isFull) yield* this.#flush();
      if (left.length > 0 && this.#pacer.isSliceOver()) await this.#pacer.pause();
    }
  }

  *#flush(): Generator<JsonRows> {
    if (this.#written === 0) return;
    const rows = this.#written;
    this.#written = 0;
    const json = this.#writer.take();
    // Every row was followed by a comma.
    yield { rows, json: json.subarray(0, json.length - 1) };
    this.#pacer.check();
  }

  /** Finished values, as far as OFFSET and the limit allow. */
  async *#values(values: readonly Value[], limit: number): AsyncGenerator<JsonRows> {
    const taken = values.slice(this.#offset, this.#offset + limit);
    for (const value of taken) {
      this.#writeValue(value);
      if (this.#writer.isFull) yield* this.#flush();
      if (this.#pacer.isDue()) await this.#pacer.pause();
    }
    yield* this.#flush();
  }

  #writeValue(value: Value): void {
    this.#meter?.addRows('limit', 1);
    this.#writer.writeText(`${printJson(value, this.#writer.form)},`);
    this.#written += 1;
  }

  async #wait(wait: Wait): Promise<void> {
    if (wait === PAUSE) await this.#pacer.pause();
    else await wait;
  }

  async #drive<Result>(id: NodeId, task: Task<Result>): Promise<Result> {
    for (;;) {
      const step = this.#timed(id, () => task.next());
      if (step.done === true) return step.value;
      await this.#wait(step.value);
    }
  }
}
