// The syntax tree of a query text, without meaning: names are not resolved, no value is computed.
// Parentheses show only in the shape of the tree; printing puts them back where precedence needs
// them.

import type { Value } from '../../value/value.ts';
import type { AggregateFunction } from './aggregate-functions.ts';
import type { Span } from './position.ts';

/** A whole text: `<trace> IMPORT a.B; SELECT …`. */
export interface Program {
  readonly kind: 'program';
  readonly text: string;
  readonly trace: boolean;
  readonly imports: readonly Import[];
  readonly query: Expression;
  /** Every placeholder of the text, numbered and named, in order of appearance. */
  readonly placeholders: readonly Placeholder[];
}

/** `IMPORT org.example.Order AS O`: `O` stands for the type `org.example.Order`. */
export interface Import {
  readonly kind: 'import';
  readonly path: readonly string[];
  readonly alias: string | undefined;
  readonly span: Span;
}

export interface SelectExpression {
  readonly kind: 'select';
  readonly hints: readonly string[];
  readonly distinct: boolean;
  /** Empty stands for `*`. */
  readonly projections: readonly Projection[];
  readonly from: readonly Iterator[];
  readonly where: Expression | undefined;
  readonly groupBy: readonly Expression[];
  readonly having: Expression | undefined;
  readonly orderBy: readonly SortKey[];
  readonly limit: RowCount | undefined;
  readonly offset: RowCount | undefined;
  readonly span: Span;
}

/** `name: expression` or `expression AS name`. */
export interface Projection {
  readonly kind: 'projection';
  readonly expression: Expression;
  readonly alias: string | undefined;
}

/**
 * One source of a FROM clause: `alias IN source TYPE type` or `source AS alias TYPE type`, joined to
 * those before it by a comma or by JOIN.
 */
export interface Iterator {
  readonly kind: 'iterator';
  readonly join: Join | undefined;
  readonly source: Expression;
  readonly alias: string | undefined;
  readonly type: TypeName | undefined;
  readonly span: Span;
}

/** `JOIN … ON condition`, `LEFT JOIN … ON condition` */
export interface Join {
  readonly kind: 'inner' | 'left';
  readonly on: Expression;
  readonly span: Span;
}

export interface SortKey {
  readonly kind: 'sort-key';
  readonly expression: Expression;
  readonly direction: 'asc' | 'desc';
  /** NULLS FIRST or NULLS LAST. */
  readonly nulls: 'first' | 'last' | undefined;
}

/** The operand of LIMIT and OFFSET. */
export type RowCount = Literal | Placeholder;

/** A type in a cast or a TYPE clause: `int`, `Order`, `collection<Order>`, `map<string, int>`. */
export interface TypeName {
  readonly kind: 'type';
  /** Lower case where the word is reserved, as written where it is an identifier. */
  readonly name: string;
  readonly parameters: readonly TypeName[];
  readonly span: Span;
}

export type Expression =
  | Literal
  | Placeholder
  | Name
  | Call
  | RegionPath
  | Member
  | Method
  | Index
  | Unary
  | Arithmetic
  | Comparison
  | Junction
  | Like
  | In
  | Between
  | IsNull
  | IsType
  | Case
  | Element
  | Nvl
  | Definedness
  | Aggregate
  | SetConstruction
  | Cast
  | SetOperation
  | With
  | SelectExpression;

/** `query UNION ALL query`, with clauses for the rows of both. */
export interface SetOperation {
  readonly kind: 'set-operation';
  readonly operator: 'union' | 'except' | 'intersect';
  readonly all: boolean;
  readonly left: Expression;
  readonly right: Expression;
  readonly orderBy: readonly SortKey[];
  readonly limit: RowCount | undefined;
  readonly offset: RowCount | undefined;
  readonly span: Span;
}

/** `WITH name AS (query), … query` */
export interface With {
  readonly kind: 'with';
  readonly definitions: readonly Definition[];
  readonly body: Expression;
  readonly span: Span;
}

export interface Definition {
  readonly name: string;
  readonly query: Expression;
  readonly span: Span;
}

export type Placeholder = NumberedParameter | NamedParameter;

export type LiteralType =
  | 'null'
  | 'undefined'
  | 'boolean'
  | 'int'
  | 'long'
  | 'float'
  | 'double'
  | 'string'
  | 'char'
  | 'date'
  | 'time'
  | 'timestamp';

export interface Literal {
  readonly kind: 'literal';
  readonly type: LiteralType;
  readonly value: Value;
  /**
   * The written form without quotes, keyword and suffix: `a` for `'a'`, `7` for `7L`. A projected
   * literal takes it as its field name.
   */
  readonly text: string;
  readonly span: Span;
}

/** `$1` */
export interface NumberedParameter {
  readonly kind: 'numbered-parameter';
  readonly number: number;
  readonly span: Span;
}

/** `:name` */
export interface NamedParameter {
  readonly kind: 'named-parameter';
  readonly name: string;
  readonly span: Span;
}

/** An unqualified name: an alias, or a member of some iterator. */
export interface Name {
  readonly kind: 'name';
  readonly name: string;
  readonly span: Span;
}

/** An unqualified call: a function, `ROUND(o.total, 2)`, or a method of some iterator's row. */
export interface Call {
  readonly kind: 'call';
  readonly name: string;
  readonly arguments: readonly Expression[];
  /** Of the name alone. */
  readonly nameSpan: Span;
  readonly span: Span;
}

/** `/root/sub` */
export interface RegionPath {
  readonly kind: 'region-path';
  readonly segments: readonly string[];
  readonly span: Span;
}

/** `target.name` */
export interface Member {
  readonly kind: 'member';
  readonly target: Expression;
  readonly name: string;
  /** Where the name begins, to which errors point; it ends with the whole. */
  readonly nameStart: number;
  readonly span: Span;
}

/** `target.name(arguments)` */
export interface Method {
  readonly kind: 'method';
  readonly target: Expression;
  readonly name: string;
  readonly arguments: readonly Expression[];
  readonly nameSpan: Span;
  readonly span: Span;
}

/** `target[index]` */
export interface Index {
  readonly kind: 'index';
  readonly target: Expression;
  readonly index: Expression;
  readonly span: Span;
}

/** `-x`, `NOT x`. A minus before a numeric literal is part of the literal. */
export interface Unary {
  readonly kind: 'unary';
  readonly operator: 'minus' | 'not';
  readonly operand: Expression;
  readonly span: Span;
}

export type ArithmeticOperator = '+' | '-' | '*' | '/' | '%';

/** Arithmetic, and `||`, which joins texts. */
export interface Arithmetic {
  readonly kind: 'arithmetic';
  readonly operator: ArithmeticOperator | '||';
  readonly left: Expression;
  readonly right: Expression;
  readonly span: Span;
}

export type ComparisonOperator = '=' | '<>' | '<' | '<=' | '>' | '>=';

/** `a = b`, `a > ANY (b)`, `a > ALL (b)` */
export interface Comparison {
  readonly kind: 'comparison';
  readonly operator: ComparisonOperator;
  readonly quantifier: 'any' | 'all' | undefined;
  readonly left: Expression;
  readonly right: Expression;
  readonly span: Span;
}

/** `a AND b AND c`: two operands or more. */
export interface Junction {
  readonly kind: 'and' | 'or';
  readonly operands: readonly Expression[];
  readonly span: Span;
}

/** `value LIKE pattern`, `value NOT LIKE pattern`, and ILIKE, which ignores case */
export interface Like {
  readonly kind: 'like';
  readonly ignoresCase: boolean;
  readonly value: Expression;
  readonly pattern: Expression;
  readonly negated: boolean;
  readonly span: Span;
}

/** `value IN collection`, `value NOT IN collection` */
export interface In {
  readonly kind: 'in';
  readonly value: Expression;
  readonly collection: Expression;
  readonly negated: boolean;
  readonly span: Span;
}

/** `value BETWEEN low AND high` */
export interface Between {
  readonly kind: 'between';
  readonly value: Expression;
  readonly low: Expression;
  readonly high: Expression;
  readonly negated: boolean;
  readonly span: Span;
}

/** `value IS NULL`, `value IS NOT NULL` */
export interface IsNull {
  readonly kind: 'is-null';
  readonly value: Expression;
  readonly negated: boolean;
  readonly span: Span;
}

/** `value IS NUMBER`, `value IS NOT STRING` */
export interface IsType {
  readonly kind: 'is-type';
  readonly value: Expression;
  /** In lower case. */
  readonly type: string;
  readonly negated: boolean;
  readonly span: Span;
}

/** `CASE WHEN a THEN b ELSE c END`, or with a subject: `CASE x WHEN 1 THEN b END`. */
export interface Case {
  readonly kind: 'case';
  readonly subject: Expression | undefined;
  readonly branches: readonly CaseBranch[];
  readonly otherwise: Expression | undefined;
  readonly span: Span;
}

export interface CaseBranch {
  readonly condition: Expression;
  readonly result: Expression;
}

/** `ELEMENT(query)` */
export interface Element {
  readonly kind: 'element';
  readonly operand: Expression;
  readonly span: Span;
}

/** `NVL(value, fallback)` */
export interface Nvl {
  readonly kind: 'nvl';
  readonly value: Expression;
  readonly fallback: Expression;
  readonly span: Span;
}

/** `IS_DEFINED(operand)`, and with `negated` `IS_UNDEFINED(operand)`. */
export interface Definedness {
  readonly kind: 'is-defined';
  readonly operand: Expression;
  readonly negated: boolean;
  readonly span: Span;
}

/** `SUM(DISTINCT argument)`; no argument stands for `COUNT(*)`. */
export interface Aggregate {
  readonly kind: 'aggregate';
  readonly function: AggregateFunction;
  readonly distinct: boolean;
  readonly argument: Expression | undefined;
  readonly span: Span;
}

/** `SET(a, b)`, or the list in `IN (a, b)` */
export interface SetConstruction {
  readonly kind: 'set';
  readonly form: 'set' | 'list';
  readonly elements: readonly Expression[];
  readonly span: Span;
}

/** `(type) operand`: states the type, converts nothing. */
export interface Cast {
  readonly kind: 'cast';
  readonly type: TypeName;
  readonly operand: Expression;
  readonly span: Span;
}
