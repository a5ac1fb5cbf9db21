// How the first region of a query is read: through one index, through several united by OR, or all
// of it. Decided by the number of rows each way would look at, counted in the indexes themselves.

import type { BoundExpression, BoundPath } from '../bind/bound-query.ts';
import type { Bounds, IndexFacts, SourceTable } from '../execute/vector/column-source.ts';
import { conditionNeverFails, splitConjuncts } from '../execute/vector/conjuncts.ts';
import type { Runtime } from '../execute/vector/runtime.ts';
import type { VectorShape } from '../execute/vector/shape.ts';
import {
  countRows,
  intersect,
  type Lookup,
  lookupOf,
  subjectOf,
  unite,
  visitRows,
} from './lookup.ts';

export type Access =
  | { readonly kind: 'scan'; readonly rows: number }
  | { readonly kind: 'index'; readonly uses: readonly IndexUse[]; readonly rows: number };

/** Rows of all uses together are looked at. */
export interface IndexUse {
  readonly index: IndexFacts;
  readonly lookup: Lookup;
}

export interface RefusedIndex {
  readonly name: string;
  readonly reason: string;
}

export interface AccessChoice {
  readonly access: Access;
  readonly refused: readonly RefusedIndex[];
}

/** Reading a row through an index costs about as much as scanning so many. */
const ROWS_PER_LOOKUP = 6;

/** Indexes whose path the query has a condition on; only these are worth building. */
export function relevantIndexes(
  shape: VectorShape,
  indexes: readonly IndexFacts[],
): readonly IndexFacts[] {
  const table = shape.iterators[0]?.table;
  const paths = new Set(
    shape.slots
      .filter(({ iterator }) => shape.iterators[iterator]?.table === table)
      .map(({ path }) => JSON.stringify(path)),
  );
  return indexes.filter(({ path }) => path !== undefined && paths.has(JSON.stringify(path)));
}

export function chooseAccess(runtime: Runtime, indexes: readonly IndexFacts[]): AccessChoice {
  return new AccessChooser(runtime, indexes).choose();
}

class AccessChooser {
  readonly #runtime: Runtime;
  readonly #indexes: readonly IndexFacts[];
  readonly #table: SourceTable;
  readonly #conjuncts: readonly BoundExpression[];
  readonly #hints: readonly string[];

  constructor(runtime: Runtime, indexes: readonly IndexFacts[]) {
    this.#runtime = runtime;
    this.#indexes = indexes;
    this.#table = runtime.tableOf(0);
    this.#conjuncts = splitConjuncts(runtime.shape.select.where);
    this.#hints = runtime.shape.select.hints;
  }

  choose(): AccessChoice {
    const refused: RefusedIndex[] = [];
    const candidates: { readonly access: Access; readonly cost: number; readonly name: string }[] =
      [];
    for (const index of this.#indexes) {
      const use = this.#useFor(index);
      if (typeof use === 'string') {
        refused.push({ name: index.name, reason: use });
        continue;
      }
      const rows = this.#count(use);
      const hint = this.#hints.indexOf(index.name);
      // A hinted index is taken whatever it costs, the first named before the others.
      const cost = hint < 0 ? rows * ROWS_PER_LOOKUP : hint - this.#hints.length;
      candidates.push({ access: { kind: 'index', uses: [use], rows }, cost, name: index.name });
    }
    for (const uses of this.#unions()) {
      const rows = uses.reduce((sum, use) => sum + this.#count(use), 0);
      const name = uses.map(({ index }) => index.name).join(', ');
      candidates.push({
        access: { kind: 'index', uses, rows },
        cost: rows * ROWS_PER_LOOKUP,
        name,
      });
    }
    const scan = {
      access: { kind: 'scan', rows: this.#table.size } as const,
      cost: this.#table.size,
    };
    const [best] = candidates.sort((a, b) => a.cost - b.cost);
    const chosen = best !== undefined && best.cost <= scan.cost ? best : undefined;
    for (const { access, name } of candidates) {
      if (name === chosen?.name || access.kind !== 'index') continue;
      const other = chosen === undefined ? 'a scan' : chosen.name;
      refused.push({ name, reason: `it would look at ${access.rows} rows; ${other} is cheaper` });
    }
    return { access: chosen?.access ?? scan.access, refused };
  }

  /** The lookup of all conditions on the path of the index, or why there is none. */
  #useFor(index: IndexFacts): IndexUse | string {
    if (this.#table.index(index.name) === undefined) return 'it is not built for this moment';
    let lookup: Lookup | undefined;
    let iterator: number | undefined;
    const served: BoundExpression[] = [];
    for (const conjunct of this.#conjuncts) {
      const one = this.#lookup(conjunct, index);
      const subject = subjectOf(conjunct);
      if (one === undefined || subject?.kind !== 'path') continue;
      // Two iterators over one collection have different items at a time.
      iterator ??= subject.iterator;
      if (iterator !== subject.iterator) continue;
      lookup = lookup === undefined ? one : intersect(lookup, one);
      served.push(conjunct);
    }
    if (lookup === undefined) return 'no condition of the AND can be looked up in it';
    return { index, lookup: this.#withUnknown(lookup, served) };
  }

  /** Every operand of an OR must have its index. */
  *#unions(): Generator<readonly IndexUse[]> {
    for (const conjunct of this.#conjuncts) {
      if (conjunct.kind !== 'or') continue;
      const uses = conjunct.operands.map((operand) => this.#bestFor(operand, conjunct));
      if (uses.every((use) => use !== undefined)) yield mergeUses(uses);
    }
  }

  #bestFor(operand: BoundExpression, conjunct: BoundExpression): IndexUse | undefined {
    let best: IndexUse | undefined;
    for (const index of this.#indexes) {
      const lookup = this.#lookup(operand, index);
      if (lookup === undefined || this.#table.index(index.name) === undefined) continue;
      const use = { index, lookup: this.#withUnknown(lookup, [conjunct]) };
      if (best === undefined || this.#count(use) < this.#count(best)) best = use;
    }
    return best;
  }

  #lookup(condition: BoundExpression, index: IndexFacts): Lookup | undefined {
    const subject = subjectOf(condition);
    if (subject?.kind !== 'path' || !this.#isIndexed(subject, index)) return undefined;
    const lookup = lookupOf(condition, (expression) => this.#runtime.constant(expression));
    const isRange = lookup !== undefined && [...lookup.numbers, ...lookup.strings].some(isOpen);
    return index.kind !== 'range' && isRange ? undefined : lookup;
  }

  #isIndexed(path: BoundPath, index: IndexFacts): boolean {
    const { shape } = this.#runtime;
    const slot = shape.slots[this.#runtime.slotOf(path)];
    const table = shape.iterators[path.iterator]?.table;
    return (
      table === shape.iterators[0]?.table &&
      JSON.stringify(slot?.path) === JSON.stringify(index.path)
    );
  }

  /** Where another condition may fail, rows that leave this one unknown count too. */
  #withUnknown(lookup: Lookup, served: readonly BoundExpression[]): Lookup {
    const others = this.#conjuncts.filter((conjunct) => !served.includes(conjunct));
    const isAlone = this.#conjuncts.length === 1 && !this.#keepsUnknown();
    if (isAlone || others.every(conditionNeverFails)) return lookup;
    return unite(lookup, { numbers: [], strings: [], apart: new Set(['missing', 'null']) });
  }

  #keepsUnknown(): boolean {
    const { where } = this.#runtime.shape.select;
    return where?.kind === 'comparison' && where.operator === '<>';
  }

  #count({ index, lookup }: IndexUse): number {
    const source = this.#table.index(index.name);
    return source === undefined ? Number.POSITIVE_INFINITY : countRows(lookup, source);
  }
}

function isOpen({ low, high }: Bounds<number> | Bounds<string>): boolean {
  return low === undefined || high === undefined || low.key !== high.key;
}

/** One lookup per index. */
function mergeUses(uses: readonly IndexUse[]): readonly IndexUse[] {
  const merged = new Map<string, IndexUse>();
  for (const use of uses) {
    const known = merged.get(use.index.name);
    const lookup = known === undefined ? use.lookup : unite(known.lookup, use.lookup);
    merged.set(use.index.name, { index: use.index, lookup });
  }
  return [...merged.values()];
}

/** The rows an access through indexes looks at: visible, each once, in key order. */
export function accessRows(table: SourceTable, uses: readonly IndexUse[]): Uint32Array {
  const found = new Set<number>();
  for (const { index, lookup } of uses) {
    const source = table.index(index.name);
    if (source === undefined) throw new Error(`index ${index.name} is gone`);
    visitRows(lookup, source, (row) => {
      if (row < table.size && table.isVisible(row)) found.add(row);
    });
  }
  // A late row comes before the sorted row of its order; the others are their own.
  const rows = [...found].map((row) => {
    const isLate = row >= table.sortedSize;
    return { row, order: isLate ? table.orderOf(row) - 0.5 : row };
  });
  rows.sort((a, b) => a.order - b.order || table.compareKeys(a.row, b.row));
  return Uint32Array.from(rows, ({ row }) => row);
}
