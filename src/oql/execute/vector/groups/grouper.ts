// GROUP BY and aggregates over frames: rows get the codes of their groups, then each aggregate reads
// the frame once.

import type { BoundGrouping } from '../../../bind/bound-query.ts';
import type { Group } from '../../../reference/environment.ts';
import { PagedWords } from '../codes/pages.ts';
import type { Frame } from '../frames/frame.ts';
import type { Runtime } from '../runtime.ts';
import { createAggregate } from './aggregate.ts';
import { type GroupedRows, readArgument, type VectorAggregate } from './argument-reader.ts';
import type { GroupCodes } from './group-keys.ts';

export interface GroupFinder {
  /** Rows with the codes of their groups: a row may have several, or none. Valid until the next call. */
  find(frame: Frame, rows: Uint32Array): Pick<GroupedRows, 'rows' | 'groups'>;
  /** Opens a group by its number, with its first row and its code. */
  open(group: number, frame: Frame, row: number, code: number): void;
}

export class Grouper {
  readonly codes: GroupCodes;
  readonly #finder: GroupFinder;
  readonly #aggregates: readonly VectorAggregate[];
  /** Whether keys or arguments have to be computed row by row. */
  readonly isComputed: boolean;
  /** By code of a group: 1 once it has a row. */
  readonly #isOpen = new PagedWords();
  /** Code of each group that has rows, in the order of their first rows. */
  readonly #codeOf = new PagedWords();
  /** Number of groups that have rows. */
  size = 0;
  /** Rows that were grouped, each as often as it has groups. */
  rows = 0;

  constructor(runtime: Runtime, grouping: BoundGrouping, codes: GroupCodes, finder: GroupFinder) {
    const { aggregates } = grouping;
    this.codes = codes;
    this.#finder = finder;
    const readers = aggregates.map(
      (each) => each.argument && readArgument(runtime, each, each.argument),
    );
    this.#aggregates = aggregates.map((each, index) => createAggregate(each, readers[index]));
    this.isComputed =
      grouping.keys.some((key) => runtime.columnNumberOf(key) < 0) ||
      readers.some((reader) => reader !== undefined && reader.vector === undefined);
  }

  add(frame: Frame, selected: Uint32Array): void {
    if (selected.length === 0) return;
    const { rows, groups } = this.#finder.find(frame, selected);
    const groupCount = this.codes.encoder.size;
    this.rows += rows.length;
    if (this.size < groupCount) this.#openGroups(frame, rows, groups);
    for (const aggregate of this.#aggregates) aggregate.add({ frame, rows, groups, groupCount });
  }

  #openGroups(frame: Frame, rows: Uint32Array, groups: Uint32Array): void {
    for (let at = 0; at < groups.length; at += 1) {
      const code = groups[at] ?? 0;
      if (this.#isOpen.at(code) === 1) continue;
      this.#finder.open(this.size, frame, rows[at] ?? 0, code);
      this.#isOpen.set(code, 1);
      this.#codeOf.set(this.size, code);
      this.size += 1;
    }
  }

  /** A group with its values, created for each call. */
  group(group: number): Group {
    const code = this.#codeOf.at(group);
    return {
      keys: this.codes.values(group),
      results: this.#aggregates.map((each) => each.result(code)),
    };
  }
}
