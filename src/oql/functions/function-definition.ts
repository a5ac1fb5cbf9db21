// Building blocks of the table of functions: a name, the kinds of the arguments, and the
// computation. Functions are pure: the time of the query is passed as an argument.

import { toCollection } from '../../value/collections.ts';
import { describeValue } from '../../value/describe-value.ts';
import { parseIsoTemporal } from '../../value/iso-date.ts';
import {
  Char,
  isAbsent,
  isInteger,
  isNumeric,
  type List,
  type Numeric,
  Temporal,
  type Value,
} from '../../value/value.ts';

/** The reason why a function has no result for its arguments. */
export class FunctionFailure {
  /**
   * `type`: an argument of a wrong kind. `domain`: a value outside of its domain. `zero`: an integer
   * divided by zero, as by an operator.
   */
  readonly kind: 'type' | 'domain' | 'date' | 'zero';
  readonly reason: string;
  /** The index of the wrong argument, if there is one. */
  readonly argument: number | undefined;

  constructor(kind: FunctionFailure['kind'], reason: string, argument?: number) {
    this.kind = kind;
    this.reason = reason;
    this.argument = argument;
  }
}

/** A value outside of the domain of the function. */
export function domainFailure(reason: string, argument?: number): FunctionFailure {
  return new FunctionFailure('domain', reason, argument);
}

export type FunctionOutcome = Value | FunctionFailure;

interface FunctionTraits {
  /** Whether the time of the query is passed as an additional first argument. */
  readonly takesQueryTime?: boolean;
  /** Whether it reads that time, given those arguments that are literals; always by default. */
  readonly readsQueryTime?: (literals: readonly (Value | undefined)[]) => boolean;
  /** Whether it never fails. */
  readonly isTotal?: boolean;
  /** Whether a subquery among its arguments is a collection; else the value of its only row. */
  readonly takesCollections?: boolean;
  /** Whether its rows are those of its arguments, with the names of the first. */
  readonly isSetOperation?: boolean;
  /** The same for a column of plain numbers, if a loop over them is faster. */
  readonly vector?: VectorForm;
}

export type FunctionDefinition = EagerFunction | LazyFunction | StepwiseFunction;

interface FunctionSignature extends FunctionTraits {
  /** In upper case; a query may spell it in any letter case. */
  readonly name: string;
  readonly minArguments: number;
  readonly maxArguments: number;
}

interface EagerFunction extends FunctionSignature {
  /** Called once for each call in a query, so that it may cache work on its arguments. */
  readonly open: () => (args: readonly Value[]) => FunctionOutcome;
}

/** Evaluates its arguments itself, and only those it needs. */
interface LazyFunction extends FunctionSignature {
  readonly lazy: <Row>(args: readonly ((row: Row) => Value)[]) => (row: Row) => Value;
}

/** Takes time for large collections, so that other requests have to be served meanwhile. */
interface StepwiseFunction extends FunctionSignature {
  /** Computes the result, with yield points. */
  readonly steps: (args: readonly Value[]) => Steps;
}

export type Steps = Generator<void, FunctionOutcome>;

/** A function of one number, over finite doubles. */
export interface VectorForm {
  /** NaN if the reference evaluator must compute the result. */
  readonly compute: (value: number) => number;
  /** Always whole numbers, or whole numbers for whole arguments. */
  readonly resultType: 'whole' | 'same';
}

interface ArgumentTypes {
  readonly text: string;
  readonly number: Numeric;
  readonly integer: number;
  /** A date, or a text with one in ISO 8601 form. */
  readonly date: Temporal;
  readonly collection: List;
  /** Any value, including null and missing. */
  readonly any: Value;
}

type ArgumentKind = keyof ArgumentTypes;
/** An argument with a question mark is optional, as are all after it. */
type DefinedArgument = ArgumentKind | `${ArgumentKind}?`;

type ArgumentOf<Kind> = Kind extends `${infer Base extends ArgumentKind}?`
  ? ArgumentTypes[Base] | undefined
  : Kind extends ArgumentKind
    ? ArgumentTypes[Kind]
    : never;

type Arguments<Kinds extends readonly DefinedArgument[]> = {
  [Position in keyof Kinds]: ArgumentOf<Kinds[Position]>;
};

/**
 * A function with fixed arguments. Returns an argument that is null or missing, unless its kind is
 * `any`.
 */
export function define<const Kinds extends readonly DefinedArgument[]>(
  name: string,
  kinds: Kinds,
  run: (...args: Arguments<Kinds>) => FunctionOutcome,
  traits: FunctionTraits = {},
): FunctionDefinition {
  return defineOpened(name, kinds, () => run, traits);
}

/** The same for a function that caches something between calls. */
export function defineOpened<const Kinds extends readonly DefinedArgument[]>(
  name: string,
  kinds: Kinds,
  open: () => (...args: Arguments<Kinds>) => FunctionOutcome,
  traits: FunctionTraits = {},
): FunctionDefinition {
  // The kinds include the time, the texts of queries do not.
  const argumentKinds = traits.takesQueryTime === true ? kinds.slice(1) : kinds;
  return {
    ...traits,
    name,
    minArguments: argumentKinds.filter((kind) => !kind.endsWith('?')).length,
    maxArguments: argumentKinds.length,
    open: () => {
      const run = open();
      return (args) => applyTo(name, kinds, run, args);
    },
  };
}

/** A function of two collections that is computed in steps. */
export function defineStepwise(
  name: string,
  run: (left: List, right: List) => Steps,
  traits: FunctionTraits,
): FunctionDefinition {
  return {
    ...traits,
    name,
    minArguments: 2,
    maxArguments: 2,
    steps: function* (args) {
      const outcome = applyTo(name, ['collection', 'collection'], run, args);
      return isSteps(outcome) ? yield* outcome : outcome;
    },
  };
}

function isSteps(outcome: FunctionOutcome | Steps): outcome is Steps {
  return typeof outcome === 'object' && outcome !== null && 'next' in outcome;
}

/** A function of any number of arguments of one kind. */
export function defineVariadic<const Kind extends ArgumentKind>(
  name: string,
  kind: Kind,
  minArguments: number,
  run: (args: readonly ArgumentTypes[Kind][]) => FunctionOutcome,
): FunctionDefinition {
  return {
    name,
    minArguments,
    maxArguments: Number.POSITIVE_INFINITY,
    open: () => (args) =>
      applyTo(
        name,
        args.map(() => kind),
        // Each argument is converted to that kind.
        (...converted) => run(converted as unknown as readonly ArgumentTypes[Kind][]),
        args,
      ),
  };
}

function applyTo<const Kinds extends readonly DefinedArgument[], Result>(
  name: string,
  kinds: Kinds,
  run: (...args: Arguments<Kinds>) => Result,
  args: readonly Value[],
): Result | Value | FunctionFailure {
  const converted: unknown[] = [];
  for (const [at, value] of args.entries()) {
    const kind = kinds[at]?.replace('?', '') ?? 'any';
    if (kind !== 'any' && isAbsent(value)) return value;
    // The names of kinds are those of the table below.
    const argument = CONVERSIONS[kind as ArgumentKind](value);
    if (argument === undefined) return wrongKind(name, kind as ArgumentKind, value, at);
    converted.push(argument);
  }
  // Each argument was just converted to the kind at its position.
  return run(...(converted as unknown as Arguments<Kinds>));
}

const CONVERSIONS: {
  readonly [Kind in ArgumentKind]: (value: Value) => ArgumentTypes[Kind] | undefined;
} = {
  text: textOf,
  number: (value) => (isNumeric(value) ? value : undefined),
  integer: (value) => (typeof value === 'number' ? value : undefined),
  date: (value) => {
    if (value instanceof Temporal) return value;
    return typeof value === 'string' ? parseIsoTemporal(value) : undefined;
  },
  collection: toCollection,
  any: (value) => value,
};

export function textOf(value: Value): string | undefined {
  if (value instanceof Char) return value.unit;
  return typeof value === 'string' ? value : undefined;
}

const WORDS: Readonly<Record<ArgumentKind, string>> = {
  text: 'a string',
  number: 'a number',
  integer: 'a whole number',
  date: 'a date or a text such as 2024-02-29T12:30:00Z',
  collection: 'a collection',
  any: 'anything',
};

function wrongKind(name: string, kind: ArgumentKind, value: Value, at: number): FunctionFailure {
  const reason = `${name} takes ${WORDS[kind]}, not ${describeArgument(kind, value)}`;
  return new FunctionFailure('type', reason, at);
}

function describeArgument(kind: ArgumentKind, value: Value): string {
  if (kind === 'date' && typeof value === 'string') return 'this text';
  if (kind === 'integer' && isNumeric(value)) {
    return isInteger(value) ? 'one so large' : 'a fraction';
  }
  return describeValue(value);
}
