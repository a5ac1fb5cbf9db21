// Building blocks of the closed table of methods: per method one or more overloads, each with the
// kinds of its arguments. Methods are pure; a failing one returns a `MethodFailure`.

import { Char, isList, type List, Temporal, type Value, ValueSet } from '../../value/value.ts';

/** The reason why a method failed; becomes the message of an error. */
export class MethodFailure {
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }
}

export const TOO_LONG: MethodFailure = new MethodFailure('the result is too long');

interface MethodArgumentTypes {
  readonly integer: number;
  /** A string or a char. */
  readonly text: string;
  readonly boolean: boolean;
  readonly date: Temporal;
  readonly collection: List;
  readonly any: Value;
}

type MethodArgumentKind = keyof MethodArgumentTypes;

type MethodArguments<Kinds extends readonly MethodArgumentKind[]> = {
  [Position in keyof Kinds]: MethodArgumentTypes[Kinds[Position]];
};

type Outcome = Value | MethodFailure;

export interface Overload<Target> {
  /** Number of arguments. */
  readonly arity: number;
  /**
   * The method for these arguments, applicable to many targets; undefined when the arguments have
   * the wrong number or kinds.
   */
  readonly prepare: (args: readonly Value[]) => ((target: Target) => Outcome) | undefined;
  /** The index of the first argument of a wrong kind; -1 if there is none. */
  readonly misfit: (args: readonly Value[]) => number;
}

/** A function alone is a method without arguments, whose parentheses are optional in a query. */
export type Methods<Target> = Readonly<
  Record<string, ((target: Target) => Outcome) | Overload<Target> | readonly Overload<Target>[]>
>;

export type MethodTable = ReadonlyMap<string, readonly Overload<Value>[]>;

/** A table is only used with a target of its own kind, which its type cannot express. */
export function methodTable<Target>(methods: Methods<Target>): MethodTable {
  const table = Object.entries(methods).map(([name, method]) => {
    const overloads = typeof method === 'function' ? overload([], method) : method;
    return [name, [overloads].flat()] as const;
  });
  return new Map(table) as unknown as MethodTable;
}

export function overload<Target, const Kinds extends readonly MethodArgumentKind[]>(
  kinds: Kinds,
  run: (target: Target, ...args: MethodArguments<Kinds>) => Outcome,
): Overload<Target> {
  return preparedOverload(
    kinds,
    (...args) =>
      (target: Target) =>
        run(target, ...args),
  );
}

/** An overload that prepares its arguments once, for example a regular expression. */
export function preparedOverload<Target, const Kinds extends readonly MethodArgumentKind[]>(
  kinds: Kinds,
  prepare: (...args: MethodArguments<Kinds>) => (target: Target) => Outcome,
): Overload<Target> {
  return {
    arity: kinds.length,
    misfit: (args) =>
      kinds.findIndex((kind, index) => convert(kind, args[index] ?? null) === undefined),
    prepare: (args) => {
      if (args.length !== kinds.length) return undefined;
      const converted = kinds.map((kind, index) => convert(kind, args[index] ?? null));
      if (converted.includes(undefined)) return undefined;
      // Each argument was just converted to the kind at its position.
      return prepare(...(converted as unknown as MethodArguments<Kinds>));
    },
  };
}

function convert(
  kind: MethodArgumentKind,
  value: Value,
): MethodArgumentTypes[MethodArgumentKind] | undefined {
  switch (kind) {
    case 'integer':
      return typeof value === 'number' ? value : undefined;
    case 'text':
      return value instanceof Char ? value.unit : toText(value);
    case 'boolean':
      return typeof value === 'boolean' ? value : undefined;
    case 'date':
      return value instanceof Temporal ? value : undefined;
    case 'collection':
      if (value instanceof ValueSet) return value.items;
      return isList(value) ? value : undefined;
    case 'any':
      return value;
  }
}

function toText(value: Value): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
