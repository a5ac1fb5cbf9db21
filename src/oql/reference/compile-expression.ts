// Compiles bound expressions into closures. An expression is evaluated synchronously; external
// inputs (subqueries, values of regions by key) are listed as preparations, to be run before it.

import { createSet, hashKey } from '../../value/compare.ts';
import { type RegionHandle, UNDEFINED, type Value } from '../../value/value.ts';
import type {
  BoundCase,
  BoundExpression,
  BoundFunction,
  BoundIn,
  BoundIndex,
  BoundMember,
  BoundMethod,
  BoundPath,
  BoundRegion,
  BoundRowsByKey,
  BoundSelect,
} from '../bind/bound-query.ts';
import type { RegionSource } from '../bind/region-source.ts';
import { isSetOperation } from '../bind/result-columns.ts';
import {
  dateInvalid,
  divisionByZero,
  functionDomain,
  type Location,
  OqlError,
  typeMismatch,
} from '../errors.ts';
import { FunctionFailure, type FunctionOutcome } from '../functions/function-definition.ts';
import { prepareCall } from '../methods/call-method.ts';
import type { Span } from '../syntax/position.ts';
import { createEnvironment, type Environment, type Evaluate } from './environment.ts';
import {
  evaluateArithmetic,
  evaluateComparison,
  evaluateIn,
  evaluateJunction,
  evaluateLike,
  meetsTest,
  negate,
  toTruth,
} from './operators.ts';
import { readIndex, readMember } from './read-member.ts';

/** Computes a value, with yield points. Throws `OqlError` where the row fails. */
export type ValueSteps = Generator<void, Value>;

/** Collects the inputs of expressions besides rows and parameters. */
export interface CompileContext {
  /** The query text, for the locations of errors. */
  readonly text: string;
  /** Plans a subquery; its result list will be at the index returned. */
  addSubquery(select: BoundSelect): number;
  /** Plans a look-up of one key; the index returned will hold the value, or UNDEFINED if absent. */
  addLookup(region: string, key: Evaluate): number;
  /** Plans a call that takes time; its outcome will be at the index returned. */
  addCall?(args: readonly Evaluate[], steps: (args: readonly Value[]) => ValueSteps): number;
  /** Plans the hash keys of a collection, which IN looks up. */
  addKeys(collection: Evaluate): void;
  /** Requests the handle of a region, with or without its entries. */
  addRegion(name: string, span: Span, extent: 'entries' | 'handle'): void;
}

/** For expressions that need only rows and parameters. */
export function rowsAlone(text: string): CompileContext {
  const refuse = (): never => {
    throw new Error('an expression over columns reads no region and runs no query');
  };
  return {
    text,
    addSubquery: refuse,
    addLookup: refuse,
    addKeys: () => undefined,
    addRegion: refuse,
  };
}

export function compileExpression(expression: BoundExpression, context: CompileContext): Evaluate {
  const location = { text: context.text, span: expression.span };
  const compile = (part: BoundExpression): Evaluate => compileExpression(part, context);
  switch (expression.kind) {
    case 'literal':
      return () => expression.value;
    case 'parameter':
      return readParameter(expression.slot);
    case 'path':
      return compilePath(expression, location);
    case 'group-key':
      return ({ groups }) => groups[expression.depth]?.keys[expression.key] ?? null;
    case 'aggregate-result':
      return ({ groups }) => groups[expression.depth]?.results[expression.aggregate] ?? null;
    case 'comparison':
      return evaluateComparison(expression, { location, compile });
    case 'arithmetic':
      return evaluateArithmetic(expression, { location, compile });
    case 'and':
    case 'or':
      return evaluateJunction(
        expression.operands.map((operand) => compileCondition(operand, context)),
        expression.kind === 'or',
      );
    case 'not':
      return mapValue(compileCondition(expression.operand, context, NOT_HINT), (truth) =>
        truth === UNDEFINED ? UNDEFINED : !truth,
      );
    case 'negation':
      return mapValue(compile(expression.operand), (value) => negate(value, location));
    case 'is-null':
    case 'is-defined':
      return mapValue(compile(expression.operand), (value) => meetsTest(expression, value));
    case 'like':
      return evaluateLike(expression, { location, compile });
    case 'in':
      return compileIn(expression, context);
    case 'region':
    case 'region-view':
      return compileRegion(expression, context);
    case 'member':
      return mapValue(compileTarget(expression, context), (value) =>
        readMember(value, expression.name, location),
      );
    case 'method':
      return compileMethod(expression, context, location);
    case 'index':
      return compileIndex(expression, context, location);
    case 'case':
      return compileCase(expression, context);
    case 'function':
      return compileFunction(expression, context);
    case 'set':
      return compileSet(expression.elements, context);
    case 'rows-by-key':
      return compileRowsByKey(expression, context);
    case 'select':
      return readPrepared(context.addSubquery(expression));
  }
}

function readParameter(slot: number): Evaluate {
  return ({ parameters }) => {
    const value = parameters[slot];
    if (value === undefined) throw new Error(`parameter slot ${slot} is empty`);
    return value;
  };
}

function readPrepared(at: number): Evaluate {
  return ({ prepared }) => {
    const content = prepared[at];
    if (content === undefined) throw new Error(`result ${at} was read before it was computed`);
    if (content instanceof OqlError) throw content;
    return content;
  };
}

function compilePath({ depth, iterator, members }: BoundPath, location: Location): Evaluate {
  return ({ rows }) => {
    let value = rows[depth]?.[iterator];
    if (value === undefined) throw new Error(`iterator ${iterator} at depth ${depth} has no row`);
    for (const name of members) value = readMember(value, name, location);
    return value;
  };
}

/** A function of the value of an operand. */
function mapValue(operand: Evaluate, apply: (value: Value) => Value): Evaluate {
  return (environment) => apply(operand(environment));
}

const NOT_HINT = 'NOT binds tighter than a comparison: write NOT (a = b)';

/** The truth of an expression: true, false or UNDEFINED. */
function compileCondition(
  expression: BoundExpression,
  context: CompileContext,
  hint?: string,
): Evaluate {
  const location = { text: context.text, span: expression.span };
  return mapValue(compileExpression(expression, context), (value) =>
    toTruth(value, location, hint),
  );
}

function compileCase(expression: BoundCase, context: CompileContext): Evaluate {
  const branches = expression.branches.map(({ condition, result }) => ({
    isTaken: compileCondition(condition, context),
    result: compileExpression(result, context),
  }));
  const otherwise = compileExpression(expression.otherwise, context);
  return (environment) => {
    const taken = branches.find(({ isTaken }) => isTaken(environment) === true);
    return (taken?.result ?? otherwise)(environment);
  };
}

/** The keys of a large collection that is the same for many rows are built in time slices. */
function compileIn(expression: BoundIn, context: CompileContext): Evaluate {
  const value = compileExpression(expression.value, context);
  const { span } = expression.collection;
  const collection = compileExpression(expression.collection, context);
  if (mayBeLarge(expression.collection)) context.addKeys(collection);
  return evaluateIn(value, collection, { text: context.text, span });
}

function mayBeLarge(collection: BoundExpression): boolean {
  return MAY_BE_LARGE.has(collection.kind) || isSetOperation(collection);
}

const MAY_BE_LARGE: ReadonlySet<BoundExpression['kind']> = new Set([
  'select',
  'region',
  'region-view',
  'parameter',
  'literal',
  'set',
]);

function compileRowsByKey(lookup: BoundRowsByKey, context: CompileContext): Evaluate {
  const { keys, rows, otherwise } = lookup;
  const parts = keys.map((key) => compileExpression(key, context));
  return (environment) => rows.get(hashKey(parts.map((part) => part(environment)))) ?? otherwise;
}

function compileFunction(expression: BoundFunction, context: CompileContext): Evaluate {
  const { definition } = expression;
  const args = expression.arguments.map((argument) => compileExpression(argument, context));
  if ('lazy' in definition) return definition.lazy(args);
  const toValue = (outcome: FunctionOutcome): Value => {
    if (!(outcome instanceof FunctionFailure)) return outcome;
    const { span } = expression.arguments[outcome.argument ?? -1] ?? expression;
    throw FUNCTION_ERRORS[outcome.kind]({ text: context.text, span }, outcome.reason);
  };
  if ('steps' in definition) {
    const { steps } = definition;
    return compileCall(context, args, function* (values) {
      return toValue(yield* steps(values));
    });
  }
  const call = definition.open();
  return (environment) => toValue(call(args.map((argument) => argument(environment))));
}

/** A call in steps, which are taken without pauses where nothing can be prepared. */
function compileCall(
  context: CompileContext,
  args: readonly Evaluate[],
  steps: (args: readonly Value[]) => ValueSteps,
): Evaluate {
  if (context.addCall !== undefined) return readPrepared(context.addCall(args, steps));
  return (environment) => {
    const taken = steps(args.map((argument) => argument(environment)));
    let step = taken.next();
    while (step.done !== true) step = taken.next();
    return step.value;
  };
}

const FUNCTION_ERRORS = {
  type: typeMismatch,
  domain: functionDomain,
  date: dateInvalid,
  zero: divisionByZero,
};

/** A set of literals is built once, and so are the keys that IN derives from it. */
function compileSet(elements: readonly BoundExpression[], context: CompileContext): Evaluate {
  const parts = elements.map((element) => compileExpression(element, context));
  const evaluate: Evaluate = (environment) => {
    const values = parts.map((part) => part(environment));
    // One UNDEFINED element makes the whole set UNDEFINED.
    return values.includes(UNDEFINED) ? UNDEFINED : createSet(values);
  };
  const isConstant = elements.every((element) => element.kind === 'literal');
  if (!isConstant) return evaluate;
  const set = evaluate(createEnvironment([], new Map()));
  return () => set;
}

function compileRegion(region: RegionSource, context: CompileContext): Evaluate {
  context.addRegion(region.name, region.span, 'entries');
  return ({ regions }) => {
    const handle = requireHandle(regions, region.name);
    return region.kind === 'region' ? handle : handle[region.view];
  };
}

function requireHandle(regions: Environment['regions'], name: string): RegionHandle {
  const handle = regions.get(name);
  if (handle === undefined) throw new Error(`region ${name} was not opened`);
  return handle;
}

/** Properties of a region that need no entries. */
const HANDLE_ATTRIBUTES: ReadonlySet<string> = new Set([
  'size',
  'isEmpty',
  'name',
  'getName',
  'fullPath',
  'getFullPath',
]);

/** The receiver of a member or method; a region is loaded only if its entries are needed. */
function compileTarget(part: BoundMember | BoundMethod, context: CompileContext): Evaluate {
  const { target, name } = part;
  if (target.kind !== 'region' || !HANDLE_ATTRIBUTES.has(name)) {
    return compileExpression(target, context);
  }
  context.addRegion(target.name, target.span, 'handle');
  return ({ regions }) => requireHandle(regions, target.name);
}

function compileMethod(method: BoundMethod, context: CompileContext, location: Location): Evaluate {
  const args = method.arguments.map((argument) => compileExpression(argument, context));
  const [key] = args;
  if (method.target.kind === 'region' && key !== undefined && args.length === 1) {
    if (method.name === 'get') return compileLookup(method.target, key, context);
    if (method.name === 'containsKey') {
      return mapValue(findKey(method.target, key, context), (value) => value !== UNDEFINED);
    }
  }
  const target = compileTarget(method, context);
  const { text } = context;
  const locations = method.arguments.map(({ span }) => ({ text, span }));
  const call = prepareCall(method.name, location, locations);
  return (environment) =>
    call(
      target(environment),
      args.map((argument) => argument(environment)),
    );
}

function compileIndex(part: BoundIndex, context: CompileContext, location: Location): Evaluate {
  const index = compileExpression(part.index, context);
  if (part.target.kind === 'region') return compileLookup(part.target, index, context);
  const target = compileExpression(part.target, context);
  return (environment) => readIndex(target(environment), index(environment), location);
}

/** `/r['k']`, `/r.get('k')`: one value, null if the key is absent. */
function compileLookup(region: BoundRegion, key: Evaluate, context: CompileContext): Evaluate {
  return mapValue(findKey(region, key, context), (value) => (value === UNDEFINED ? null : value));
}

/** The value of a key; UNDEFINED if it is absent. */
function findKey({ name, span }: BoundRegion, key: Evaluate, context: CompileContext): Evaluate {
  context.addRegion(name, span, 'handle');
  return readPrepared(context.addLookup(name, key));
}
