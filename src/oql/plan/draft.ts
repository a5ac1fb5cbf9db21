// A plan in the making. Rules take a draft and give a better one; what they may know is in it: the
// query with its columns (`Runtime`), the indexes of each region, how many rows are wanted.

import type { BoundExpression } from '../bind/bound-query.ts';
import type { IndexFacts, SourceIndex } from '../columnar/column-source.ts';
import type { EquiJoin } from '../columnar/conjuncts.ts';
import { openTableIndex } from '../columnar/key-index.ts';
import { termsOf } from '../columnar/terms.ts';
import type { Conditions } from './conditions.ts';
import type { Estimator } from './estimate.ts';
import type { KeySet, Lookup } from './lookup.ts';
import type { PlanData } from './plan-data.ts';

export interface Draft {
  /** The select in it has its iterators in the order in which they are joined. */
  readonly runtime: PlanData;
  readonly estimator: Estimator;
  /** Of the select in `runtime`. */
  readonly conditions: Conditions;
  /** The place in FROM of each iterator of the select. */
  readonly order: readonly number[];
  /** The operands of WHERE by the iterator at which they are decided. */
  readonly filters: readonly (readonly BoundExpression[])[];
  /** Ways to read the first region that were found so far. */
  readonly candidates: readonly Candidate[];
  readonly access: Access;
  /** How each further region is joined, by iterator; undefined for nested collections. */
  readonly joins: readonly (JoinMethod | undefined)[];
  readonly refused: readonly RefusedIndex[];
  readonly facts: PlanFacts;
}

/** What no rule changes. */
export interface PlanFacts {
  /** By table of the shape. */
  readonly indexes: readonly (readonly IndexFacts[])[];
  /** Result rows asked for, those passed over by OFFSET included; infinite without LIMIT. */
  readonly wanted: number;
  readonly offset: number;
}

/** Where the rows of the first region come from. */
export type Access =
  /** No row can pass WHERE. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'scan'; readonly rows: number }
  /** No rows at all: every region knows how many entries it has. */
  | { readonly kind: 'size'; readonly rows: number }
  /** The rows under the keys of all uses together, in the order of the region. */
  | { readonly kind: 'lookup'; readonly uses: readonly IndexUse[]; readonly rows: number }
  /** In the order of the index, as many as are asked for. */
  | {
      readonly kind: 'ordered';
      readonly index: IndexFacts;
      readonly keys: KeySet;
      readonly direction: 'up' | 'down';
      /** Whether rows of one key are equal to ORDER BY, or other sort keys are left to look at. */
      readonly settles: 'all' | 'first';
      readonly rows: number;
    }
  /** Of each key the first row of the region, enough for DISTINCT. */
  | {
      readonly kind: 'heads';
      readonly index: IndexFacts;
      readonly keys: KeySet;
      readonly rows: number;
    }
  /** The first row of the lowest and of the highest key of each use, enough for MIN and MAX. */
  | { readonly kind: 'ends'; readonly uses: readonly EndUse[]; readonly rows: number }
  /** No rows at all: their number is told by the index. */
  | {
      readonly kind: 'count';
      readonly index: IndexFacts;
      readonly keys: KeySet;
      readonly rows: number;
    };

export interface IndexUse {
  readonly index: IndexFacts;
  readonly lookup: Lookup;
}

export interface EndUse {
  readonly index: IndexFacts;
  readonly keys: KeySet;
}

export interface Candidate {
  /** The rule that found it. */
  readonly rule: string;
  readonly access: Access;
  /** In rows scanned: what it takes to read the rows, and to sort them where that is left. */
  readonly cost: number;
  readonly indexes: readonly string[];
}

/** How a further region is joined, with the conditions that are decided there. */
export type JoinMethod =
  /** A table by key is built of the rows that `build` reads. */
  | (BuiltJoin & {
      readonly kind: 'hash';
      readonly equality: EquiJoin;
      /**
       * What goes on beside rows that meet every condition so far. Where a later condition may
       * fail, rows with an undecided condition go on too: a failure counts unless another
       * condition is false.
       */
      readonly keeps: 'matching' | 'undecided';
    })
  /** No equality ties it to those before it: each row with every row that `build` reads. */
  | (BuiltJoin & { readonly kind: 'cross' })
  /** For each row its partners are looked up. */
  | { readonly kind: 'index'; readonly equality: EquiJoin; readonly index: IndexFacts };

interface BuiltJoin {
  readonly build: Access;
  /** Conditions on the joined region alone. */
  readonly local: readonly BoundExpression[];
  /** Conditions between it and those before, but for the equality. */
  readonly rest: readonly BoundExpression[];
}

export interface RefusedIndex {
  readonly name: string;
  readonly reason: string;
}

/** One step of the planner: gives the same draft back where it has nothing to do. */
export interface Rule {
  readonly name: string;
  apply(draft: Draft): Draft;
}

/** Reading a row through an index costs about as much as scanning so many. */
export const ROWS_PER_LOOKUP = 6;

/** Indexes of the region that an iterator goes through, or through whose collections it goes. */
export function indexesOf({ runtime, facts }: Draft, iterator: number): readonly IndexFacts[] {
  return facts.indexes[runtime.shape.iterators[iterator]?.table ?? -1] ?? [];
}

export function openIndex(draft: Draft, iterator: number, name: string): SourceIndex | undefined {
  return openTableIndex(draft.runtime.tableOf(iterator), name);
}

/** Whether an index has just the values of an expression of an iterator as its keys. */
export function isOn(draft: Draft, index: IndexFacts, expression: BoundExpression): boolean {
  const [term, second] = termsOf(index);
  return term !== undefined && second === undefined && draft.conditions.termOf(expression) === term;
}

/** The path of an expression in the documents of its region. */
export function pathOf(draft: Draft, expression: BoundExpression): IndexFacts['path'] {
  return draft.runtime.shape.slots[draft.runtime.slotOf(expression)]?.path;
}
