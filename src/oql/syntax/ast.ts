// The syntax tree of a query text, without meaning: names are not resolved, no value is computed.
// Parentheses are only in the shape of the tree; printing adds them where precedence requires.

import type { ComparisonOperator } from '../../value/compare.ts';
import type { ArithmeticOperator } from '../../value/number.ts';
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

/** A node of the tree, with its span in the text. */
interface SyntaxNode<Kind extends string> {
  readonly kind: Kind;
  readonly span: Span;
}

/** `IMPORT org.example.Order AS O`: `O` means the type `org.example.Order`. */
export interface Import extends SyntaxNode<'import'> {
  readonly path: readonly string[];
  readonly alias: string | undefined;
}

/** The clauses at the end of a query. */
export interface RowOrder {
  readonly orderBy: readonly SortKey[];
  readonly limit: RowCount | undefined;
  readonly offset: RowCount | undefined;
}

export interface SelectExpression extends SyntaxNode<'select'>, RowOrder {
  readonly hints: readonly string[];
  readonly distinct: boolean;
  /** Empty means `*`. */
  readonly projections: readonly Projection[];
  readonly from: readonly Iterator[];
  readonly where: Expression | undefined;
  readonly groupBy: readonly Expression[];
  readonly having: Expression | undefined;
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
export interface Iterator extends SyntaxNode<'iterator'> {
  readonly join: Join | undefined;
  readonly source: Expression;
  readonly alias: string | undefined;
  readonly type: TypeName | undefined;
}

/** `JOIN … ON condition`, `LEFT JOIN … ON condition` */
export interface Join extends SyntaxNode<'inner' | 'left'> {
  readonly on: Expression;
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
export interface TypeName extends SyntaxNode<'type'> {
  /** Lower case if the word is reserved, as written if it is an identifier. */
  readonly name: string;
  readonly parameters: readonly TypeName[];
}

export type Expression =
  | Literal
  | Placeholder
  | Name
  | Call
  | RegionPath
  | Member
  | MethodCall
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
export interface SetOperation extends SyntaxNode<'set-operation'>, RowOrder {
  readonly operator: 'union' | 'except' | 'intersect';
  readonly all: boolean;
  readonly left: Expression;
  readonly right: Expression;
}

/** `WITH name AS (query), … query` */
export interface With extends SyntaxNode<'with'> {
  readonly definitions: readonly Definition[];
  readonly body: Expression;
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

export interface Literal extends SyntaxNode<'literal'> {
  readonly type: LiteralType;
  readonly value: Value;
  /**
   * The written form without quotes, keyword and suffix: `a` for `'a'`, `7` for `7L`. A projected
   * literal takes it as its field name.
   */
  readonly text: string;
}

/** `$1` */
export interface NumberedParameter extends SyntaxNode<'numbered-parameter'> {
  readonly number: number;
}

/** `:name` */
export interface NamedParameter extends SyntaxNode<'named-parameter'> {
  readonly name: string;
}

/** An unqualified name: an alias, or a member of some iterator. */
export interface Name extends SyntaxNode<'name'> {
  readonly name: string;
}

/** An unqualified call: a function, `ROUND(o.total, 2)`, or a method of some iterator's row. */
export interface Call extends SyntaxNode<'call'> {
  readonly name: string;
  readonly arguments: readonly Expression[];
  /** The span of the name. */
  readonly nameSpan: Span;
}

/** `/root/sub` */
export interface RegionPath extends SyntaxNode<'region-path'> {
  readonly segments: readonly string[];
}

/** `target.name` */
export interface Member extends SyntaxNode<'member'> {
  readonly target: Expression;
  readonly name: string;
  /** The start of the name, which errors point to; its end is that of the whole. */
  readonly nameStart: number;
}

/** `target.name(arguments)` */
export interface MethodCall extends SyntaxNode<'method'> {
  readonly target: Expression;
  readonly name: string;
  readonly arguments: readonly Expression[];
  readonly nameSpan: Span;
}

/** `target[index]` */
export interface Index extends SyntaxNode<'index'> {
  readonly target: Expression;
  readonly index: Expression;
}

/** `-x`, `NOT x`. A minus before a numeric literal is part of the literal. */
export interface Unary extends SyntaxNode<'unary'> {
  readonly operator: 'minus' | 'not';
  readonly operand: Expression;
}

/** Arithmetic, and `||`, which joins texts. */
export interface Arithmetic extends SyntaxNode<'arithmetic'> {
  readonly operator: ArithmeticOperator | '||';
  readonly left: Expression;
  readonly right: Expression;
}

/** `a = b`, `a > ANY (b)`, `a > ALL (b)` */
export interface Comparison extends SyntaxNode<'comparison'> {
  readonly operator: ComparisonOperator;
  readonly quantifier: 'any' | 'all' | undefined;
  readonly left: Expression;
  readonly right: Expression;
}

/** `a AND b AND c`: two operands or more. */
export interface Junction extends SyntaxNode<'and' | 'or'> {
  readonly operands: readonly Expression[];
}

/** `value LIKE pattern`, `value NOT LIKE pattern`, and ILIKE, which ignores case */
export interface Like extends SyntaxNode<'like'> {
  readonly ignoresCase: boolean;
  readonly value: Expression;
  readonly pattern: Expression;
  readonly negated: boolean;
}

/** `value IN collection`, `value NOT IN collection` */
export interface In extends SyntaxNode<'in'> {
  readonly value: Expression;
  readonly collection: Expression;
  readonly negated: boolean;
}

/** `value BETWEEN low AND high` */
export interface Between extends SyntaxNode<'between'> {
  readonly value: Expression;
  readonly low: Expression;
  readonly high: Expression;
  readonly negated: boolean;
}

/** `value IS NULL`, `value IS NOT NULL` */
export interface IsNull extends SyntaxNode<'is-null'> {
  readonly value: Expression;
  readonly negated: boolean;
}

/** `value IS NUMBER`, `value IS NOT STRING` */
export interface IsType extends SyntaxNode<'is-type'> {
  readonly value: Expression;
  /** In lower case. */
  readonly type: string;
  readonly negated: boolean;
}

/** `CASE WHEN a THEN b ELSE c END`, or with a subject: `CASE x WHEN 1 THEN b END`. */
export interface Case extends SyntaxNode<'case'> {
  readonly subject: Expression | undefined;
  readonly branches: readonly CaseBranch[];
  readonly otherwise: Expression | undefined;
}

export interface CaseBranch {
  readonly condition: Expression;
  readonly result: Expression;
}

/** `ELEMENT(query)` */
export interface Element extends SyntaxNode<'element'> {
  readonly operand: Expression;
}

/** `NVL(value, fallback)` */
export interface Nvl extends SyntaxNode<'nvl'> {
  readonly value: Expression;
  readonly fallback: Expression;
}

/** `IS_DEFINED(operand)`, and with `negated` `IS_UNDEFINED(operand)`. */
export interface Definedness extends SyntaxNode<'is-defined'> {
  readonly operand: Expression;
  readonly negated: boolean;
}

/** `SUM(DISTINCT argument)`; no argument means `COUNT(*)`. */
export interface Aggregate extends SyntaxNode<'aggregate'> {
  readonly function: AggregateFunction;
  readonly distinct: boolean;
  readonly argument: Expression | undefined;
}

/** `SET(a, b)`, or the list in `IN (a, b)` */
export interface SetConstruction extends SyntaxNode<'set'> {
  readonly form: 'set' | 'list';
  readonly elements: readonly Expression[];
}

/** `(type) operand`: declares the type without conversion. */
export interface Cast extends SyntaxNode<'cast'> {
  readonly type: TypeName;
  readonly operand: Expression;
}
