// The rows that one entry gives to a query whose entries are independent of each other
// (identify-rows.ts). Compiled once, run for each changed entry; nothing else is read.

import { Entry, RegionHandle, Struct, type Value } from '../../value/value.ts';
import type { IdentifiedQuery } from '../bind/identify-rows.ts';
import { type CompiledSelect, compileSelect } from './compile-query.ts';
import { createEnvironment, isRowFailure } from './environment.ts';
import { finish } from './execute-reference.ts';
import { Pacer } from './pacer.ts';
import type { QueryRun } from './query-run.ts';
import { RowBudget } from './row-budget.ts';
import type { RunContext } from './run-context.ts';
import { createRun, selectRows } from './select-rows.ts';
import { isWait, type Task } from './steps.ts';

export class EntryRows {
  readonly #select: CompiledSelect;
  readonly #region: string;

  constructor({ followed, query }: IdentifiedQuery) {
    if (followed === undefined) throw new Error('the rows of an entry depend on other entries');
    this.#region = followed;
    this.#select = compileSelect(query);
  }

  /** Structs, at once unless the entry takes longer than a slice. A failure names the entry. */
  evaluate(
    key: string,
    value: Value,
    context: RunContext,
  ): readonly Struct[] | Promise<readonly Struct[]> {
    const pacer = new Pacer(context, this.#select.location.text);
    // The entry is the whole region.
    const region = new RegionHandle(this.#region, 1, [new Entry(key, value)]);
    const environment = createEnvironment(context.parameters, new Map([[region.name, region]]));
    const run = createRun(environment, pacer, new RowBudget(context.maxRowsKept));
    return finish(this.#collect(key, run), pacer);
  }

  *#collect(key: string, run: QueryRun): Task<readonly Struct[]> {
    const rows: Struct[] = [];
    try {
      for (const step of selectRows(this.#select, run)) {
        if (isWait(step)) yield step;
        else if (step.value instanceof Struct) rows.push(step.value);
      }
      return rows;
    } catch (error) {
      if (isRowFailure(error)) error.blame({ region: this.#region, key });
      throw error;
    }
  }
}
