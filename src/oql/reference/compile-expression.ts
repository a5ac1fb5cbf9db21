// Compiles bound expressions into closures. An expression is evaluated synchronously; external
// inputs (subqueries, values of regions by key) are listed as preparations, to be run before it.

import { hashKey } from '../../value/compare.ts';
import { isAbsent, type RegionHandle, UNDEFINED, type Value } from '../../value/value.ts';
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
import {
  dateInvalid,
  functionDomain,
  type Location,
  type OqlError,
  typeMismatch,
} from '../errors.ts';
import { FunctionFailure } from '../functions/function-definition.ts';
import { prepareCall } from '../methods/call-method.ts';
import type { Span } from '../syntax/position.ts';
import {
  createEnvironment,
  type Environment,
  type Evaluate,
  type Operand,
  readPrepared,
} from './environment.ts';
import {
  evaluateArithmetic,
  evaluateComparison,
  evaluateIn,
  evaluateJunction,
  evaluateLike,
  evaluateNegation,
  evaluateNot,
  evaluateSet,
  toTruth,
} from './operators.ts';
import { readIndex, readMember } from './read-member.ts';

/** Collects the inputs of expressions besides rows and parameters. */
export interface CompileContext {
  /** The query text, for the locations of errors. */
  readonly text: string;
  /** Plans a subquery; its result list will be at the index returned. */
  addSubquery(select: BoundSelect): number;
  /** Plans a look-up of one key; the index returned will hold the value, or UNDEFINED if absent. */
  addLookup(region: string, key: Evaluate): number;
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

/** Compiles one expression of a query. */
export function compileExpression(expression: BoundExpression, context: CompileContext): Evaluate {
  const location = { text: context.text, span: expression.span };
  const compile = (operand: BoundExpression): Evaluate => compileExpression(operand, context);
  switch (expression.kind) {
    case 'literal':
      return constantly(expression.value);
    case 'parameter':
      return readParameter(expression.slot);
    case 'path':
      return compilePath(expression, location);
    case 'group-key':
      return ({ groups }) => groups[expression.depth]?.keys[expression.key] ?? null;
    case 'aggregate-result':
      return ({ groups }) => groups[expression.depth]?.results[expression.aggregate] ?? null;
    case 'comparison':
      return evaluateComparison({
        operator: expression.operator,
        left: compileOperand(expression.left, context),
        right: compileOperand(expression.right, context),
        location,
      });
    case 'arithmetic':
      return evaluateArithmetic({
        operator: expression.operator,
        left: compileOperand(expression.left, context),
        right: compileOperand(expression.right, context),
        location,
      });
    case 'and':
    case 'or':
      return evaluateJunction(
        expression.operands.map((operand) => compileOperand(operand, context)),
        expression.kind === 'or',
      );
    case 'not':
      return evaluateNot(compileOperand(expression.operand, context));
    case 'negation':
      return evaluateNegation(compile(expression.operand), location);
    case 'in':
      return compileIn(expression, context, location);
    default:
      return compileFurther(expression, context, location);
  }
}

/** The kinds that are compiled above are the most frequent ones. */
type Frequent =
  | ('literal' | 'parameter' | 'path' | 'group-key' | 'aggregate-result' | 'in')
  | ('comparison' | 'arithmetic' | 'and' | 'or' | 'not' | 'negation');

function compileFurther(
  expression: Exclude<BoundExpression, { kind: Frequent }>,
  context: CompileContext,
  location: Location,
): Evaluate {
  const compile = (operand: BoundExpression): Evaluate => compileExpression(operand, context);
  switch (expression.kind) {
    case 'region':
    case 'region-view':
      return compileRegion(expression, context);
    case 'member': {
      const target = compileTarget(expression, context);
      return (environment) => readMember(target(environment), expression.name, location);
    }
    case 'method':
      return compileMethod(expression, context, location);
    case 'index':
      return compileIndex(expression, context, location);
    case 'like':
      return evaluateLike({
        value: compile(expression.value),
        pattern: compileOperand(expression.pattern, context),
        negated: expression.negated,
      });
    case 'is-null': {
      const operand = compile(expression.operand);
      return (environment) => isAbsent(operand(environment)) !== expression.negated;
    }
    case 'is-defined': {
      const operand = compile(expression.operand);
      return (environment) => (operand(environment) !== UNDEFINED) !== expression.negated;
    }
    case 'case':
      return compileCase(expression, context);
    case 'function':
      return compileFunction(expression, context);
    case 'set':
      return compileSet(expression.elements, context);
    case 'rows-by-key':
      return compileRowsByKey(expression, context);
    case 'select':
      return readingPrepared(context.addSubquery(expression));
  }
}

function constantly(value: Value): Evaluate {
  return () => value;
}

function readParameter(slot: number): Evaluate {
  return ({ parameters }) => {
    const value = parameters[slot];
    if (value === undefined) throw new Error(`parameter slot ${slot} is empty`);
    return value;
  };
}

function readingPrepared(at: number): Evaluate {
  return (environment) => readPrepared(environment, at);
}

function compilePath({ depth, iterator, members }: BoundPath, location: Location): Evaluate {
  return ({ rows }) => {
    let value = rows[depth]?.[iterator];
    if (value === undefined) throw new Error(`iterator ${iterator} at depth ${depth} has no row`);
    for (const name of members) value = readMember(value, name, location);
    return value;
  };
}

function compileOperand(operand: BoundExpression, context: CompileContext): Operand {
  return {
    evaluate: compileExpression(operand, context),
    location: { text: context.text, span: operand.span },
    isConstant: operand.kind === 'literal' || operand.kind === 'parameter',
  };
}

function compileCase(expression: BoundCase, context: CompileContext): Evaluate {
  const branches = expression.branches.map(({ condition: when, result: then }) => ({
    condition: compileOperand(when, context),
    result: compileExpression(then, context),
  }));
  const otherwise = compileExpression(expression.otherwise, context);
  return (environment) => {
    for (const { condition, result } of branches) {
      const truth = toTruth(condition.evaluate(environment), condition.location);
      if (truth === true) return result(environment);
    }
    return otherwise(environment);
  };
}

/** The keys of a large collection that is the same for many rows are built in time slices. */
function compileIn(expression: BoundIn, context: CompileContext, location: Location): Evaluate {
  const value = compileExpression(expression.value, context);
  const collection = compileExpression(expression.collection, context);
  if (MAY_BE_LARGE.has(expression.collection.kind)) context.addKeys(collection);
  return evaluateIn(value, collection, location);
}

const MAY_BE_LARGE: ReadonlySet<BoundExpression['kind']> = new Set([
  'select',
  'region',
  'region-view',
  'parameter',
  'literal',
  'set',
]);

function compileRowsByKey(
  { keys, rows, otherwise }: BoundRowsByKey,
  context: CompileContext,
): Evaluate {
  const parts = keys.map((key) => compileExpression(key, context));
  return (environment) => rows.get(hashKey(parts.map((part) => part(environment)))) ?? otherwise;
}

function compileFunction(expression: BoundFunction, context: CompileContext): Evaluate {
  const { definition } = expression;
  const args = expression.arguments.map((argument) => compileExpression(argument, context));
  if ('lazy' in definition) return definition.lazy(args);
  const call = definition.open();
  return (environment) => {
    const result = call(args.map((argument) => argument(environment)));
    if (!(result instanceof FunctionFailure)) return result;
    const { span } = expression.arguments[result.argument ?? -1] ?? expression;
    throw functionError(result, { text: context.text, span });
  };
}

function functionError({ kind, reason }: FunctionFailure, location: Location): OqlError {
  switch (kind) {
    case 'type':
      return typeMismatch(location, reason);
    case 'domain':
      return functionDomain(location, reason);
    case 'date':
      return dateInvalid(location, reason);
  }
}

/** A set of literals is built once, and so are the keys that IN derives from it. */
function compileSet(elements: readonly BoundExpression[], context: CompileContext): Evaluate {
  const evaluate = evaluateSet(elements.map((element) => compileExpression(element, context)));
  const isConstant = elements.every((element) => element.kind === 'literal');
  return isConstant ? constantly(evaluate(createEnvironment([], new Map()))) : evaluate;
}

function compileRegion(region: RegionSource, context: CompileContext): Evaluate {
  context.addRegion(region.name, region.span, 'entries');
  return ({ regions }) => {
    const handle = requireHandle(regions, region.name);
    if (region.kind === 'region') return handle;
    return handle[region.view];
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
function compileTarget(
  { target, name }: BoundMember | BoundMethod,
  context: CompileContext,
): Evaluate {
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
      const find = findKey(method.target, key, context);
      return (environment) => find(environment) !== UNDEFINED;
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

function compileIndex(
  expression: BoundIndex,
  context: CompileContext,
  location: Location,
): Evaluate {
  const index = compileExpression(expression.index, context);
  if (expression.target.kind === 'region') return compileLookup(expression.target, index, context);
  const target = compileExpression(expression.target, context);
  return (environment) => readIndex(target(environment), index(environment), location);
}

/** `/r['k']`, `/r.get('k')`: one value, null if the key is absent. */
function compileLookup(region: BoundRegion, key: Evaluate, context: CompileContext): Evaluate {
  const find = findKey(region, key, context);
  return (environment) => {
    const value = find(environment);
    return value === UNDEFINED ? null : value;
  };
}

/** The value of a key; UNDEFINED if it is absent. */
function findKey({ name, span }: BoundRegion, key: Evaluate, context: CompileContext): Evaluate {
  context.addRegion(name, span, 'handle');
  return readingPrepared(context.addLookup(name, key));
}
