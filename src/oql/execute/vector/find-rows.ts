// FROM and WHERE over frames: runs the rows nodes of a plan. Rows are in the order of nested loops
// over the iterators of the plan. It is a generator, so that its caller may yield between frames.

import { joinConditions } from '../../columnar/conjuncts.ts';
import type { FilterNode, RowsNode } from '../../plan/plan-node.ts';
import { measured } from '../meter.ts';
import { crossJoinOperator } from './joins/cross-join-operator.ts';
import { hashJoinOperator } from './joins/hash-join-operator.ts';
import { indexJoinOperator } from './joins/index-join-operator.ts';
import { itemsOperator } from './joins/items-operator.ts';
import { leftJoinOperator } from './joins/left-join-operator.ts';
import { restoreOrder } from './joins/restore-order.ts';
import { type OperatorContext, type RowOperator, readRegion } from './joins/row-operator.ts';
import { compilePredicate } from './predicates/compile-predicate.ts';
import {
  type Candidates,
  dropRows,
  type Matches,
  RowFilter,
  type RowsRequest,
  type Steps,
} from './predicates/row-filter.ts';
import type { Runtime } from './runtime.ts';

/** Yields at least once per frame read, possibly without rows. */
export function findRows(
  runtime: Runtime,
  node: RowsNode,
  request: RowsRequest,
): Generator<Matches> {
  if (node.kind !== 'restore-order') return findJoined(createContext(runtime, request), node);
  const restored = restoreOrder(runtime, node.order, findRows(runtime, node.input, request));
  return measured(request.meter, node, restored, countMatches);
}

/** A node above the first access, with its operator. */
interface Step {
  readonly node: RowsNode;
  readonly operator: RowOperator;
}

function* findJoined(context: OperatorContext, top: RowsNode): Generator<Matches> {
  const { first, filter, above } = splitNodes(top);
  if (first.access.kind === 'empty') return;
  const { rowFilter, meter } = context;
  const steps: Step[] = [];
  for (const node of above) steps.push({ node, operator: yield* openOperator(context, node) });
  for (const candidates of readRegion(context, first, filter)) {
    if (steps.length === 0) {
      // The result of FROM and WHERE where nothing is joined.
      const matches = rowFilter.toMatches(candidates);
      yield* filter === undefined ? matches : measured(meter, filter, matches, countMatches);
    } else {
      const kept = dropRows(candidates);
      if (filter !== undefined) meter?.addRows(filter, kept.frame.size);
      yield* runSteps(context, kept, steps);
    }
  }
}

function* runSteps(
  context: OperatorContext,
  candidates: Candidates,
  [step, ...others]: readonly Step[],
): Generator<Matches> {
  const { rowFilter, meter } = context;
  if (step === undefined || candidates.frame.size === 0) {
    yield* rowFilter.toMatches(candidates);
    return;
  }
  const given = measured(meter, step.node, step.operator(candidates), ({ frame }) => frame.size);
  for (const next of given) yield* runSteps(context, next, others);
}

function countMatches({ count }: Matches): number {
  return count;
}

/** Opens the operator of a node; a hash join builds its table. */
function* openOperator(context: OperatorContext, node: RowsNode): Steps<RowOperator> {
  switch (node.kind) {
    case 'filter':
      return filterOperator(context, node);
    case 'items':
      return itemsOperator(context, node);
    case 'index-join':
      return indexJoinOperator(context, node);
    case 'cross-join':
      return yield* crossJoinOperator(context, node);
    case 'hash-join':
      return yield* hashJoinOperator(context, node);
    case 'left-join':
      return yield* leftJoinOperator(context, node);
    case 'access':
    case 'restore-order':
      throw new Error(`${node.kind} is not a step on joined rows`);
  }
}

export function createContext(runtime: Runtime, request: RowsRequest): OperatorContext {
  return {
    ...request,
    runtime,
    rowFilter: new RowFilter(runtime, request),
    compile: (conjuncts) => {
      const all = joinConditions(conjuncts);
      return all && compilePredicate(all, runtime);
    },
  };
}

/**
 * The access of the first region, the filter on its rows, which are still whole chunks, and the
 * nodes above, from the lowest to the highest.
 */
function splitNodes(top: RowsNode) {
  const above: RowsNode[] = [];
  let node = top;
  for (; node.kind !== 'access'; node = node.input) above.unshift(node);
  const [lowest, ...others] = above;
  return lowest?.kind === 'filter'
    ? { first: node, filter: lowest, above: others }
    : { first: node, filter: undefined, above };
}

function filterOperator({ rowFilter, compile }: OperatorContext, node: FilterNode): RowOperator {
  const condition = compile(node.conditions);
  return function* filterRows(candidates): Generator<Candidates> {
    yield dropRows(yield* rowFilter.apply(condition, candidates));
  };
}
