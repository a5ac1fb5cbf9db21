// The conditions of a query as the rules ask for them: by the path they are about, by the iterators
// they speak of, and which of them may fail. Found once, when first asked for; a text can have
// thousands of conditions, and a region many indexes.

import type { BoundExpression, BoundPath } from '../bind/bound-query.ts';
import type { ColumnPath } from '../columnar/column-source.ts';
import { iteratorsOf, splitConjuncts } from '../columnar/conjuncts.ts';
import { subjectOf } from './lookup.ts';
import { elementPath, pathKey, pathUseOf } from './path-use.ts';
import type { PlanData } from './plan-data.ts';
import { cannotFail } from './safety.ts';
import { usefulPaths } from './wanted-indexes.ts';

/** A condition about one path, or about one member of the map at it. */
export interface PathCondition {
  readonly condition: BoundExpression;
  readonly iterator: number;
  /** For a member of a map: where the map is. */
  readonly map: BoundPath | undefined;
  readonly key: string;
}

export class Conditions {
  /** The operands of the AND that WHERE is. */
  readonly conjuncts: readonly BoundExpression[];
  readonly #runtime: PlanData;
  #byPath: ReadonlyMap<string, readonly PathCondition[]> | undefined;
  #failing: ReadonlySet<BoundExpression> | undefined;
  #iterators: ReadonlyMap<BoundExpression, ReadonlySet<number>> | undefined;
  #useful: ReadonlySet<string> | undefined;

  constructor(runtime: PlanData) {
    this.#runtime = runtime;
    this.conjuncts = splitConjuncts(runtime.shape.select.where);
  }

  /** Operands of the AND that are about the path an index of the table is on. */
  on(table: number, path: ColumnPath | undefined): readonly PathCondition[] {
    if (path === undefined) return [];
    this.#byPath ??= this.#groupByPath();
    return this.#byPath.get(pathKey(table, path)) ?? [];
  }

  /** What a condition is about, with the `pathKey` of it; undefined for all but one path. */
  describe(condition: BoundExpression): PathCondition | undefined {
    const use = pathUseOf(subjectOf(condition));
    if (use === undefined) return undefined;
    const { iterators, slots } = this.#runtime.shape;
    const own = slots[this.#runtime.slotOf(use.path)]?.path;
    const table = iterators[use.path.iterator]?.table;
    if (own === undefined || table === undefined) return undefined;
    const path = use.key === undefined ? own : elementPath(own, use.key);
    const map = use.key === undefined ? undefined : use.path;
    return { condition, iterator: use.path.iterator, map, key: pathKey(table, path) };
  }

  /** Whether none but these operands of the AND can fail for any row. */
  areOthersSafe(served: ReadonlySet<BoundExpression>): boolean {
    this.#failing ??= new Set(
      this.conjuncts.filter((conjunct) => !cannotFail(conjunct, this.#runtime)),
    );
    if (this.#failing.size > served.size) return false;
    for (const conjunct of this.#failing) if (!served.has(conjunct)) return false;
    return true;
  }

  /** The iterators that an operand of the AND speaks of. */
  iteratorsOf(conjunct: BoundExpression): ReadonlySet<number> {
    this.#iterators ??= new Map(this.conjuncts.map((each) => [each, iteratorsOf(each)]));
    return this.#iterators.get(conjunct) ?? iteratorsOf(conjunct);
  }

  /** Whether an index on a path of a table may serve the query. */
  mayServe(table: number, path: ColumnPath): boolean {
    this.#useful ??= usefulPaths(this.#runtime.shape);
    return this.#useful.has(pathKey(table, path));
  }

  #groupByPath(): ReadonlyMap<string, readonly PathCondition[]> {
    const groups = new Map<string, PathCondition[]>();
    for (const conjunct of this.conjuncts) {
      const described = this.describe(conjunct);
      if (described === undefined) continue;
      const group = groups.get(described.key);
      if (group === undefined) groups.set(described.key, [described]);
      else group.push(described);
    }
    return groups;
  }
}
