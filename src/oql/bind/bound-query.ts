// A query whose names are resolved: the tree that is executed. It has no casts, implicit names,
// BETWEEN, simple CASE or NOT before comparisons, so that each meaning has one form.
//
// `SELECT o.id, SUM(total) / COUNT(*) AS mean FROM /orders o GROUP BY o.id` becomes
//
//     select  depth 0, shape 'struct'
//       iterators    o: region orders
//       grouping     keys [path 0.0 [id]]  aggregates [sum(path 0.0 [total]), count(*)]
//       projections  id: group-key 0   mean: aggregate-result 0 / aggregate-result 1
//
// A row is addressed by two numbers: the depth of its select (0 is the outermost) and the position
// of its iterator in that select's FROM clause.

import type { ComparisonOperator } from '../../value/compare.ts';
import type { ArithmeticOperator } from '../../value/number.ts';
import type { List, Value } from '../../value/value.ts';
import type { FunctionDefinition } from '../functions/function-definition.ts';
import type { AggregateFunction } from '../syntax/aggregate-functions.ts';
import type { Span } from '../syntax/position.ts';

export interface BoundQuery {
  /** The query text, for the excerpts of run-time errors. */
  readonly text: string;
  /** A select, or any other expression when the whole text is one (`/orders.size`). */
  readonly body: BoundExpression;
  readonly parameters: ParameterSlots;
  /** Every region the query reads, subqueries included, each once, in order of appearance. */
  readonly regions: readonly string[];
}

/**
 * Where bind parameters come from. Slots 0 to `numbered` - 1 hold `$1` to `$n`, with n the highest
 * number used; after them follow the named ones, each once, in order of appearance.
 */
export interface ParameterSlots {
  readonly numbered: number;
  readonly named: readonly string[];
  /** Whether one more slot, after all others, holds the time of the query. */
  readonly hasQueryTime: boolean;
  /** Where each slot first appears in the text; a number that was skipped has none. */
  readonly spans: readonly (Span | undefined)[];
}

/** A part of a bound query, and its text. */
interface BoundNode<Kind extends string> {
  readonly kind: Kind;
  readonly span: Span;
}

export interface BoundSelect extends BoundNode<'select'> {
  readonly depth: number;
  readonly hints: readonly string[];
  readonly distinct: boolean;
  readonly iterators: readonly BoundIterator[];
  readonly where: BoundExpression | undefined;
  /** Present for GROUP BY and for aggregates: the stage between rows and projections. */
  readonly grouping: BoundGrouping | undefined;
  /**
   * At least one; `*` is spelled out, one per iterator. In a grouped select these, HAVING and
   * ORDER BY refer to `group-key` and `aggregate-result`, no longer to rows of this select.
   */
  readonly projections: readonly BoundProjection[];
  readonly shape: ResultShape;
  /** The name of `COUNT(*)`, of the shape `count`. */
  readonly countName?: string | undefined;
  readonly orderBy: readonly BoundSortKey[];
  readonly limit: BoundRowCount | undefined;
  readonly offset: BoundRowCount | undefined;
  /**
   * Depths of the enclosing selects whose rows it refers to, ascending. Empty means uncorrelated:
   * one evaluation serves the whole query.
   */
  readonly outerDepths: readonly number[];
  /** Regions it reads, subqueries included, each once. */
  readonly regions: readonly string[];
}

/**
 * - `bare`: a row is the value of the only projection.
 * - `struct`: a row is a struct of all projections, by their names.
 * - `count`: `COUNT(*)` alone. The result is one bare integer, the number of rows; the
 *   projections are those of `*`, for `SELECT DISTINCT COUNT(*)`.
 */
export type ResultShape = 'bare' | 'struct' | 'count';

export interface BoundIterator {
  /** The alias, or a name made up as for a field of `SELECT *`. */
  readonly name: string;
  /** May refer to earlier iterators of the same select and to enclosing selects. */
  readonly source: BoundExpression;
  readonly span: Span;
}

export interface BoundGrouping {
  /** Empty when there are aggregates without GROUP BY: all rows are one group. */
  readonly keys: readonly BoundExpression[];
  readonly aggregates: readonly BoundAggregate[];
  readonly having: BoundExpression | undefined;
}

export interface BoundAggregate {
  readonly function: AggregateFunction;
  readonly distinct: boolean;
  /** Whether the result depends on the order of rows, even where equal values are the same. */
  readonly dependsOnOrder: boolean;
  /** Undefined for `COUNT(*)`. */
  readonly argument: BoundExpression | undefined;
  /** The result of AVG without a value; null if absent. */
  readonly ofNothing?: Value;
  readonly span: Span;
}

export interface BoundProjection {
  /** Unique within the select. */
  readonly name: string;
  readonly expression: BoundExpression;
}

/**
 * A grouped select without ORDER BY has none of these, and delivers its groups in ascending order
 * of their keys, by a total order that never fails on unlike types.
 */
export interface BoundSortKey {
  readonly expression: BoundExpression;
  readonly direction: 'asc' | 'desc';
  /** The projection that computes the same value, if there is one. */
  readonly projection: number | undefined;
}

/** LIMIT and OFFSET: a number of rows, or the slot of a parameter that holds it. */
export type BoundRowCount =
  | { readonly kind: 'rows'; readonly rows: number; readonly span: Span }
  | { readonly kind: 'parameter'; readonly slot: number; readonly span: Span };

export type BoundExpression =
  | BoundLiteral
  | BoundParameter
  | BoundRegion
  | BoundRegionView
  | BoundPath
  | BoundMember
  | BoundMethod
  | BoundIndex
  | BoundNegation
  | BoundNot
  | BoundArithmetic
  | BoundComparison
  | BoundJunction
  | BoundLike
  | BoundIn
  | BoundIsNull
  | BoundIsDefined
  | BoundCase
  | BoundFunction
  | BoundSet
  | BoundGroupKey
  | BoundAggregateResult
  | BoundRowsByKey
  | BoundSelect;

export interface BoundLiteral extends BoundNode<'literal'> {
  readonly value: Value;
  /** The set operation whose rows these are, with the rows of its operands. */
  readonly operation?: BoundFunction;
}

export interface BoundParameter extends BoundNode<'parameter'> {
  readonly slot: number;
}

/** A region itself: iterated it gives its values, and it has methods (`/r.get('k')`). */
export interface BoundRegion extends BoundNode<'region'> {
  readonly name: string;
  readonly view: 'values';
}

/** `/r.values`, `/r.keys`, `/r.entries` and the other spellings of these. */
export interface BoundRegionView extends BoundNode<'region-view'> {
  readonly name: string;
  readonly view: 'values' | 'keys' | 'entries';
}

/**
 * The row of an iterator, or members below it: `o.customer.name` is the iterator `o` with the
 * members `['customer', 'name']`. A chain of members on an iterator is always one path.
 */
export interface BoundPath extends BoundNode<'path'> {
  readonly depth: number;
  readonly iterator: number;
  readonly members: readonly string[];
}

/** A member of anything that is not a path. */
export interface BoundMember extends BoundNode<'member'> {
  readonly target: BoundExpression;
  readonly name: string;
}

export interface BoundMethod extends BoundNode<'method'> {
  readonly target: BoundExpression;
  readonly name: string;
  readonly arguments: readonly BoundExpression[];
}

export interface BoundIndex extends BoundNode<'index'> {
  readonly target: BoundExpression;
  readonly index: BoundExpression;
}

/** Unary minus. */
export interface BoundNegation extends BoundNode<'negation'> {
  readonly operand: BoundExpression;
}

/**
 * NOT at run time. The operand is never a comparison, a junction, LIKE, `is-null` or
 * `is-defined`: for those NOT was pushed inward.
 */
export interface BoundNot extends BoundNode<'not'> {
  readonly operand: BoundExpression;
}

export interface BoundArithmetic extends BoundNode<'arithmetic'> {
  readonly operator: ArithmeticOperator;
  readonly left: BoundExpression;
  readonly right: BoundExpression;
}

export interface BoundComparison extends BoundNode<'comparison'> {
  readonly operator: ComparisonOperator;
  readonly left: BoundExpression;
  readonly right: BoundExpression;
}

/** Two operands or more; no operand is a junction of the same kind. */
export interface BoundJunction extends BoundNode<'and' | 'or'> {
  readonly operands: readonly BoundExpression[];
}

/** `negated` is not the same as NOT around it: null stays null in both. */
export interface BoundLike extends BoundNode<'like'> {
  readonly value: BoundExpression;
  readonly pattern: BoundLiteral | BoundParameter;
  readonly negated: boolean;
}

export interface BoundIn extends BoundNode<'in'> {
  readonly value: BoundExpression;
  readonly collection: BoundExpression;
}

/**
 * True where there is no value at all: null or UNDEFINED, since a result shows both as null.
 * (`x = NULL` is true for null alone.) Never UNDEFINED itself.
 */
export interface BoundIsNull extends BoundNode<'is-null'> {
  readonly operand: BoundExpression;
  readonly negated: boolean;
}

/** IS_DEFINED, negated IS_UNDEFINED: null counts as defined. */
export interface BoundIsDefined extends BoundNode<'is-defined'> {
  readonly operand: BoundExpression;
  readonly negated: boolean;
}

/**
 * The first branch whose condition is true; `otherwise` (null where none was written) if none is.
 */
export interface BoundCase extends BoundNode<'case'> {
  readonly branches: readonly BoundCaseBranch[];
  readonly otherwise: BoundExpression;
}

export interface BoundCaseBranch {
  readonly condition: BoundExpression;
  readonly result: BoundExpression;
}

/** A call of a function of the table. */
export interface BoundFunction extends BoundNode<'function'> {
  readonly definition: FunctionDefinition;
  /** As many as it takes; the time of the query first, if it takes that. */
  readonly arguments: readonly BoundExpression[];
}

export interface BoundSet extends BoundNode<'set'> {
  readonly elements: readonly BoundExpression[];
}

/** The value of a GROUP BY expression in the current group of the select at `depth`. */
export interface BoundGroupKey extends BoundNode<'group-key'> {
  readonly depth: number;
  readonly key: number;
}

/** The result of an aggregate over the current group of the select at `depth`. */
export interface BoundAggregateResult extends BoundNode<'aggregate-result'> {
  readonly depth: number;
  readonly aggregate: number;
}

/**
 * Replaces a correlated subquery once its rows are known for every value of the correlated terms.
 * The binder never makes one.
 */
export interface BoundRowsByKey extends BoundNode<'rows-by-key'> {
  /** The correlated terms, evaluated for the rows around the subquery. */
  readonly keys: readonly BoundExpression[];
  /** The rows by the hash key of the list of keys. */
  readonly rows: ReadonlyMap<string, List>;
  /** The rows for keys that `rows` does not have. */
  readonly otherwise: List;
}
