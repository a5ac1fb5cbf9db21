// Runs a select over columns, batch by batch. The result is the reference evaluator's, row for row,
// as JSON bytes; where columns cannot settle it, `AskReference` is thrown and what was delivered so
// far is the beginning of the reference's result.

import { printJson } from '../../../value/json-print.ts';
import type { Value } from '../../../value/value.ts';
import type { BoundQuery, BoundRowCount } from '../../bind/bound-query.ts';
import { accessRows, chooseAccess } from '../../plan/choose-access.ts';
import type { NodeFigures } from '../../plan/plan-node.ts';
import type { Group } from '../environment.ts';
import { Pacer } from '../pacer.ts';
import { RowBudget } from '../row-budget.ts';
import type { Run } from '../run.ts';
import { DEFAULT_MAX_ROWS_KEPT, type RunContext } from '../run-context.ts';
import { selectRows, toRowCount } from '../select-rows.ts';
import { sortItems } from '../sort-rows.ts';
import { PAUSE, type Task } from '../steps.ts';
import type { IndexFacts, SourceTable } from './column-source.ts';
import { neverFails } from './conjuncts.ts';
import { DistinctFilter } from './distinct.ts';
import { finishGroups } from './finish-groups.ts';
import type { Frame } from './frame.ts';
import { Grouper } from './grouper.ts';
import { JsonWriter } from './json-writer.ts';
import { type Matches, Pipeline, type Wanted } from './pipeline.ts';
import { Projector } from './projection.ts';
import { Runtime } from './runtime.ts';
import { rowFrames, type ScannedFrame, scanFrames } from './scan-frames.ts';
import type { VectorShape } from './shape.ts';
import { Sorter } from './sorter.ts';

/** Result rows as JSON, joined by commas. */
export interface JsonRows {
  readonly rows: number;
  readonly json: Uint8Array;
}

/** A piece of the result is handed on when it has grown to this. */
const PIECE_BYTES = 1 << 16;
/** Rows of a sorted result that are printed at a time. */
const SORTED_BATCH = 4096;

export interface VectorQuery {
  readonly query: BoundQuery;
  readonly shape: VectorShape;
  readonly tables: readonly SourceTable[];
  readonly context: RunContext;
  /** Indexes of the first region that were asked for with its table. */
  readonly indexes?: readonly IndexFacts[];
  /** Takes in what happened at each node, if somebody wants to know. */
  readonly meter?: Meter | undefined;
}

/** Figures of a run: of the access, of each iterator joined, of all matches, of the result. */
export interface Meter {
  readonly access: NodeFigures;
  /** By the iterator's place in FROM; the first has none. */
  readonly stages: readonly NodeFigures[];
  readonly matches: NodeFigures;
  readonly result: NodeFigures;
}

export function executeVector(vectorQuery: VectorQuery): AsyncGenerator<JsonRows> {
  return new VectorRun(vectorQuery).execute();
}

class VectorRun {
  readonly #runtime: Runtime;
  readonly #steps: Run;
  readonly #pacer: Pacer;
  readonly #now: () => number;
  readonly #indexes: readonly IndexFacts[];
  readonly #meter: Meter | undefined;
  readonly #limit: number;
  readonly #offset: number;
  readonly #projectionsNeverFail: boolean;
  readonly #nowhere = new JsonWriter();
  readonly #writer = new JsonWriter();
  #written = 0;

  constructor({ query, shape, tables, context, indexes, meter }: VectorQuery) {
    this.#indexes = indexes ?? [];
    this.#meter = meter;
    const budget = new RowBudget(context.maxRowsKept ?? DEFAULT_MAX_ROWS_KEPT);
    this.#runtime = new Runtime(query, shape, tables, { parameters: context.parameters, budget });
    this.#pacer = new Pacer(context, query.text);
    this.#now = context.now;
    this.#steps = {
      environment: this.#runtime.environment,
      pacer: this.#pacer,
      budget,
      sources: new Map(),
      selectRows,
      closing: [],
    };
    this.#limit = this.#rowCount(shape.select.limit) ?? Number.POSITIVE_INFINITY;
    this.#offset = this.#rowCount(shape.select.offset) ?? 0;
    this.#projectionsNeverFail = shape.select.projections.every(({ expression }) =>
      neverFails(expression),
    );
  }

  #rowCount(count: BoundRowCount | undefined): number | undefined {
    if (count === undefined || count.kind === 'rows') return count?.rows;
    return toRowCount(count, this.#runtime.compiled, this.#steps);
  }

  async *execute(): AsyncGenerator<JsonRows> {
    const begun = this.#now();
    for await (const piece of this.#run()) {
      if (this.#meter !== undefined) this.#meter.result.rows += piece.rows;
      yield piece;
    }
    if (this.#meter !== undefined) this.#meter.result.ms = this.#now() - begun;
  }

  async *#run(): AsyncGenerator<JsonRows> {
    this.#pacer.check();
    const { select } = this.#runtime.shape;
    if (select.shape === 'count' && !select.distinct) {
      yield* this.#values([await this.#count()], Number.POSITIVE_INFINITY);
    } else if (select.shape === 'count') {
      yield* this.#values([await this.#countDistinct()], Number.POSITIVE_INFINITY);
    } else if (this.#limit === 0) {
      return;
    } else if (select.grouping !== undefined) {
      yield* this.#values(await this.#group(), this.#limit);
    } else if (select.orderBy.length > 0) {
      yield* this.#sort();
    } else {
      yield* this.#stream();
    }
  }

  #matches(wanted: Wanted): Generator<Matches> {
    const first = this.#metered(this.#scan(), this.#meter?.access, ({ frame }) => frame.size);
    const stages = new Pipeline(this.#runtime, wanted, (items, stage) =>
      this.#metered(items, this.#meter?.stages[stage], ({ frame }) => frame.size),
    );
    return this.#metered(stages.run(first), this.#meter?.matches, ({ count }) => count);
  }

  /** Counts what a step gives, and the time it takes, with all that is below it. */
  *#metered<Item>(
    items: Generator<Item>,
    figures: NodeFigures | undefined,
    count: (item: Item) => number,
  ): Generator<Item> {
    if (figures === undefined) {
      yield* items;
      return;
    }
    for (;;) {
      const begun = this.#now();
      const next = items.next();
      figures.ms += this.#now() - begun;
      if (next.done === true) return;
      figures.rows += count(next.value);
      yield next.value;
    }
  }

  #scan(): Generator<ScannedFrame> {
    const { slots } = this.#runtime;
    const table = this.#runtime.tableOf(0);
    const { access } = chooseAccess(this.#runtime, this.#indexes);
    const scan = { table, slots, before: [] };
    if (access.kind === 'scan') return scanFrames(scan);
    return rowFrames(scan, accessRows(table, access.uses));
  }

  /** A plain count of one region ignores LIMIT; any other counts no further. */
  async #count(): Promise<number> {
    const { select } = this.#runtime.shape;
    const isPlain = select.where === undefined && select.iterators.length === 1;
    if (isPlain) return this.#runtime.tableOf(0).entryCount;
    let count = 0;
    if (this.#limit === 0) return 0;
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
    const distinct = new DistinctFilter(this.#runtime, new Projector(this.#runtime));
    let count = 0;
    if (most === 0) return 0;
    for (const { frame, rows } of this.#matches('rows')) {
      count += distinct.filter(frame, rows).length;
      if (count >= most) return most;
      if (this.#pacer.isSliceOver()) await this.#pacer.pause();
    }
    return count;
  }

  async #group(): Promise<readonly Value[]> {
    const grouper = new Grouper(this.#runtime);
    for (const { frame, rows } of this.#matches('rows')) {
      grouper.add(frame, rows);
      if (this.#pacer.isSliceOver()) await this.#pacer.pause();
    }
    const groups: Group[] = grouper.groups();
    return this.#drive(finishGroups(this.#runtime, groups, this.#steps));
  }

  async *#sort(): AsyncGenerator<JsonRows> {
    const wanted = this.#offset + this.#limit;
    const projector = new Projector(this.#runtime);
    const distinct = this.#distinct(projector);
    const sorter = new Sorter(this.#runtime, wanted);
    for (const { frame, rows } of this.#matches('rows')) {
      const kept = distinct?.filter(frame, rows) ?? rows;
      // All rows are projected before they are sorted, so one that fails counts even if it is cut.
      this.#tryProjections(projector, frame, kept);
      sorter.add(frame, kept);
      if (this.#pacer.isSliceOver()) await this.#pacer.pause();
    }
    const places = Array.from({ length: sorter.size }, (_, place) => place);
    const order = (await this.#drive(sortItems(places, sorter.order, this.#steps))).slice(
      this.#offset,
      wanted,
    );
    for (let start = 0; start < order.length; start += SORTED_BATCH) {
      const frame = sorter.frame(order.slice(start, start + SORTED_BATCH));
      const rows = Uint32Array.from({ length: frame.size }, (_, row) => row);
      yield* this.#write(projector, frame, rows);
      if (this.#pacer.isSliceOver()) await this.#pacer.pause();
    }
    yield* this.#flush();
  }

  async *#stream(): AsyncGenerator<JsonRows> {
    const projector = new Projector(this.#runtime);
    const distinct = this.#distinct(projector);
    let skip = this.#offset;
    let left = this.#limit;
    for (const { frame, rows } of this.#matches('rows')) {
      const kept = distinct?.filter(frame, rows) ?? rows;
      const skipped = Math.min(skip, kept.length);
      // Rows that OFFSET passes over are projected like the others.
      this.#tryProjections(projector, frame, kept.subarray(0, skipped));
      const taken = kept.subarray(skipped).subarray(0, Math.min(left, kept.length));
      skip -= skipped;
      left -= taken.length;
      yield* this.#write(projector, frame, taken);
      if (left === 0) break;
      if (this.#pacer.isSliceOver()) await this.#pacer.pause();
    }
    yield* this.#flush();
  }

  /** Fails where a projection of these rows would, and leaves nothing else behind. */
  #tryProjections(projector: Projector, frame: Frame, rows: Uint32Array): void {
    if (this.#projectionsNeverFail || rows.length === 0) return;
    projector.write(frame, rows, this.#nowhere);
    this.#nowhere.take();
  }

  #distinct(projector: Projector): DistinctFilter | undefined {
    if (!this.#runtime.shape.select.distinct) return undefined;
    return new DistinctFilter(this.#runtime, projector);
  }

  async *#write(projector: Projector, frame: Frame, rows: Uint32Array): AsyncGenerator<JsonRows> {
    let left = rows;
    while (left.length > 0) {
      const texts = projector.isFromColumns ? undefined : await projector.readTexts(frame, left);
      // Of large values a few are a piece already.
      const some = texts === undefined ? left : left.subarray(0, texts.rows);
      projector.write(frame, some, this.#writer, texts?.byProjection);
      this.#written += some.length;
      left = left.subarray(some.length);
      if (this.#writer.length >= PIECE_BYTES) yield* this.#flush();
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
  *#values(values: readonly Value[], limit: number): Generator<JsonRows> {
    for (const value of values.slice(this.#offset, this.#offset + limit)) {
      this.#writer.writeText(`${printJson(value)},`);
      this.#written += 1;
      if (this.#writer.length >= PIECE_BYTES) yield* this.#flush();
    }
    yield* this.#flush();
  }

  async #drive<Result>(task: Task<Result>): Promise<Result> {
    for (;;) {
      const step = task.next();
      if (step.done === true) return step.value;
      if (step.value === PAUSE) await this.#pacer.pause();
      else await step.value;
    }
  }
}
