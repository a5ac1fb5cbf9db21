// Shared state of one vectorised run: the columns of the query, the compiled expressions of the
// reference evaluator, and ways to evaluate single rows with it.

import { CHUNK_ROWS, type SourceColumn } from '../../../value/column-data.ts';
import { Document, UNDEFINED, type Value, ValueSet } from '../../../value/value.ts';
import { someChild } from '../../bind/bound-children.ts';
import type { BoundExpression, BoundPath, BoundQuery } from '../../bind/bound-query.ts';
import type { SourceTable } from '../../columnar/column-source.ts';
import { ROW_MEMBER } from '../../columnar/left-join.ts';
import {
  type ColumnShape,
  columnNumberFinder,
  type FindColumnNumber,
  isLeftJoined,
  type VectorShape,
} from '../../columnar/shape.ts';
import { type Location, OqlError } from '../../errors.ts';
import type { ColumnPlan } from '../../plan/optimize.ts';
import type { PlanData, RowSample } from '../../plan/plan-data.ts';
import { ANYTHING } from '../../plan/safety.ts';
import { blameEntry } from '../../reference/blame-entry.ts';
import { compileExpression, rowsAlone } from '../../reference/compile-expression.ts';
import { type CompiledSelect, compileSelect } from '../../reference/compile-query.ts';
import {
  createEnvironment,
  type Environment,
  type Evaluate,
  isRowFailure,
  tryEvaluate,
} from '../../reference/environment.ts';
import { toTruth } from '../../reference/operators.ts';
import type { RowBudget } from '../../reference/row-budget.ts';
import type { RowKey } from './codes/row-encoder.ts';
import type { Frame, QueryColumn } from './frames/frame.ts';
import { createKeyColumn } from './frames/key-column.ts';
import { presence, withNoRow } from './frames/no-row.ts';
import { RowBuilder } from './frames/row-builder.ts';
import { sampleRows } from './frames/row-sample.ts';
import type { StringColumn } from './predicates/predicate.ts';
import { stateOf, UNSURE_STATE } from './predicates/states.ts';

/**
 * Thrown when a query cannot finish over columns: a row fails, or values have no fast path. The
 * reference evaluator then runs the query, and its result or failure counts.
 */
export class FallBackToRows extends Error {}

/** The clause of a select in which a row fails. */
type FailedClause = 'where' | 'other';

/** The reference evaluator's code failed for a row; it need not be the first row that fails. */
export class FailedRow extends FallBackToRows {
  readonly clause: FailedClause;
  readonly failure: OqlError;
  /** Whether the reference evaluator would report this failure. */
  isFirst = false;

  constructor(clause: FailedClause, failure: OqlError) {
    super('a row fails', { cause: failure });
    this.clause = clause;
    this.failure = failure;
  }
}

/** The parts of a run that all runtimes of the same query share. */
interface SharedParts {
  readonly parameters: readonly Value[];
  readonly budget: RowBudget;
  /** Cached, because the planner reads them often, and a set may have thousands of elements. */
  readonly constants?: Map<BoundExpression, Value | undefined>;
  readonly keyColumns?: Map<SourceTable, SourceColumn>;
}

export class Runtime implements PlanData {
  readonly shape: VectorShape;
  /** By table number of the shape. */
  readonly tables: readonly SourceTable[];
  readonly columns: readonly QueryColumn[];
  readonly columnNumberOf: FindColumnNumber;
  /** Of the whole select. */
  readonly location: Location;
  readonly environment: Environment;
  readonly budget: RowBudget;
  readonly #builder: RowBuilder;
  readonly #query: BoundQuery;
  readonly #tags = new Map<number, number>();
  readonly #shared: Required<SharedParts>;
  #compiled: CompiledSelect | undefined;

  constructor(
    query: BoundQuery,
    shape: VectorShape,
    tables: readonly SourceTable[],
    shared: SharedParts,
  ) {
    this.#shared = { constants: new Map(), keyColumns: new Map(), ...shared };
    this.#query = query;
    this.shape = shape;
    this.tables = tables;
    this.location = { text: query.text, span: shape.select.span };
    this.environment = createEnvironment(shared.parameters, new Map());
    this.budget = shared.budget;
    this.columnNumberOf = columnNumberFinder(shape.columns);
    this.#builder = new RowBuilder(shape.columns, shape.iterators.length);
    this.columns = shape.columns.map((column) => ({
      iterator: column.iterator,
      column: this.#columnOf(column),
    }));
  }

  #columnOf({ iterator, members, path }: ColumnShape): SourceColumn {
    const table = this.tableOf(iterator);
    const column = path.length > 0 ? table.column(path) : this.#keyColumnOf(table);
    if (!isLeftJoined(this.shape.iterators[iterator])) return column;
    return withNoRow(members[0] === ROW_MEMBER ? presence(column) : column, table);
  }

  #keyColumnOf(table: SourceTable): SourceColumn {
    const { keyColumns } = this.#shared;
    const keys = keyColumns.get(table) ?? createKeyColumn(table);
    keyColumns.set(table, keys);
    return keys;
  }

  /** Columns have no entries that are null, but views of all entries show them. */
  requireAllEntries(): void {
    const isHiding = this.shape.iterators.some(
      (each, iterator) =>
        each.kind === 'region' && each.view !== 'values' && this.tableOf(iterator).nullCount > 0,
    );
    if (isHiding) throw new FallBackToRows('some entries are null');
  }

  withShape(shape: VectorShape): Runtime {
    return new Runtime({ ...this.#query, body: shape.select }, shape, this.tables, this.#shared);
  }

  tagsOf(columnNumber: number): number {
    const known = this.#tags.get(columnNumber);
    if (known !== undefined) return known;
    const source = this.columns[columnNumber];
    if (source === undefined) return ANYTHING;
    const { size } = this.tableOf(source.iterator);
    let tags = 0;
    for (let chunk = 0; chunk * CHUNK_ROWS < size; chunk += 1) {
      tags |= source.column.chunk(chunk).mask;
    }
    this.#tags.set(columnNumber, tags);
    return tags;
  }

  /** The reference evaluator's form of the query; many queries never need it. */
  get compiled(): CompiledSelect {
    this.#compiled ??= compileSelect(this.#query);
    return this.#compiled;
  }

  tableOf(iterator: number): SourceTable {
    const table = this.tables[this.shape.iterators[iterator]?.table ?? -1];
    if (table === undefined) throw new Error(`iterator ${iterator} has no table`);
    return table;
  }

  column(path: BoundPath): StringColumn {
    const index = this.columnNumberOf(path);
    const column = this.columns[index]?.column;
    if (column === undefined) throw new Error('a path has no column');
    const { strings, testResults } = column;
    return { read: (frame) => frame.vector(index), strings, testResults };
  }

  /** The reference evaluator's outcome of a condition on one path, for a value there. */
  rowFilter(
    condition: BoundExpression,
    { iterator, members }: BoundPath,
  ): (value: Value) => number {
    const { depth } = this.shape.select;
    const evaluate = this.#compile(condition);
    const environment = createEnvironment(this.environment.parameters, new Map());
    const rows: Value[] = this.shape.iterators.map(() => null);
    environment.rows[depth] = rows;
    return (value) => {
      rows[iterator] = wrap(members, value);
      const outcome = tryEvaluate(evaluate, environment);
      return outcome instanceof OqlError ? UNSURE_STATE : stateOf(outcome);
    };
  }

  sample(iterator: number, rows: Uint32Array): RowSample {
    return sampleRows(iterator, rows, this);
  }

  constant(expression: BoundExpression): Value | undefined {
    if (expression.kind === 'path') return undefined;
    if (expression.kind === 'literal') return expression.value;
    const { constants } = this.#shared;
    if (constants.has(expression)) return constants.get(expression);
    const value = isConstant(expression) ? this.#compute(expression) : undefined;
    constants.set(expression, value);
    return value;
  }

  #compute(expression: BoundExpression): Value | undefined {
    const elements = expression.kind === 'set' ? expression.elements : undefined;
    // Literals may be many, so there is no check for equal values that are not identical.
    if (elements?.every((each) => each.kind === 'literal')) {
      const values = new Set(elements.map(({ value }) => value));
      // One UNDEFINED element makes the whole set UNDEFINED.
      return values.has(UNDEFINED) ? UNDEFINED : new ValueSet([...values]);
    }
    const value = tryEvaluate(this.#compile(expression), this.environment);
    return value instanceof OqlError ? undefined : value;
  }

  #compile(expression: BoundExpression): Evaluate {
    return compileExpression(expression, rowsAlone(this.location.text));
  }

  /** Evaluates with the reference evaluator's code, which is compiled when it is first needed. */
  #evaluateRow<Result>(
    expression: BoundExpression,
    clause: FailedClause,
    toResult: (value: Value) => Result,
  ): (frame: Frame, row: number) => Result {
    let compiled: Evaluate | undefined;
    return (frame, row) => {
      this.#builder.enter(this.environment, this.shape.select.depth, frame, row);
      try {
        compiled ??= this.#compile(expression);
        return toResult(compiled(this.environment));
      } catch (error) {
        throw isRowFailure(error) ? this.#failedRow(clause, error, frame, row) : error;
      }
    };
  }

  #failedRow(clause: FailedClause, failure: OqlError, frame: Frame, row: number): FailedRow {
    blameEntry(failure, this.shape.select, (iterator) => this.#keyOf(iterator, frame, row));
    return new FailedRow(clause, failure);
  }

  /** The key of the entry that a row of a frame has in an iterator over a region. */
  #keyOf(iterator: number, frame: Frame, row: number): string | undefined {
    const locator = frame.locators[iterator];
    if (locator === undefined || locator.kind === 'nowhere') return undefined;
    return this.tableOf(iterator).keyOf(frame.rowNumberAt(iterator, row));
  }

  /** The values of an expression, of a column or computed. */
  rowKey(expression: BoundExpression, clause: FailedClause = 'other'): RowKey {
    const columnNumber = this.columnNumberOf(expression);
    const { column } = this.columns[columnNumber] ?? {};
    const read: RowKey['read'] =
      column === undefined
        ? this.#evaluateRow(expression, clause, (value) => value)
        : (frame, row) => frame.value(columnNumber, row);
    return { columnNumber, column, read };
  }

  /** The outcome of a condition for one row. */
  decide(condition: BoundExpression): (frame: Frame, row: number) => number {
    const location = { text: this.location.text, span: condition.span };
    return this.#evaluateRow(condition, 'where', (value) => stateOf(toTruth(value, location)));
  }
}

/** A plan together with the columns it was made for. */
export interface VectorPlan extends ColumnPlan {
  readonly runtime: Runtime;
}

/** A row that has only the value at these members. */
function wrap(members: readonly string[], value: Value): Value {
  return members.reduceRight<Value>((inner, name) => {
    return new Document(inner === UNDEFINED ? new Map() : new Map([[name, inner]]));
  }, value);
}

function isConstant(expression: BoundExpression): boolean {
  switch (expression.kind) {
    case 'path':
    case 'select':
    case 'region':
    case 'region-view':
    case 'group-key':
    case 'aggregate-result':
      return false;
    default:
      return !someChild(expression, (child) => !isConstant(child));
  }
}
