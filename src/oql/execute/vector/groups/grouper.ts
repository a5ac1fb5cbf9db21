// GROUP BY and aggregates over frames: rows get the number of their group, then each aggregate
// reads the frame once.

import type { BoundGrouping } from '../../../bind/bound-query.ts';
import type { Group } from '../../../reference/environment.ts';
import type { Frame } from '../frames/frame.ts';
import type { Runtime } from '../runtime.ts';
import { createAggregates } from './aggregate.ts';
import { isConsecutive, type VectorAggregate } from './argument-reader.ts';
import { GroupCodes } from './group-codes.ts';

/** Groups with their values, after all rows are added. */
export interface Groups {
  /** Number of groups, which are numbered in the order of their first rows. */
  readonly size: number;
  /** A group with its values, created for each call. */
  group(group: number): Group;
  /** The order of two groups by their keys. */
  order(this: void, left: number, right: number): number;
}

export class Grouper implements Groups {
  readonly #codes: GroupCodes;
  readonly #aggregates: readonly VectorAggregate[];
  /** Whether keys or arguments have to be computed row by row. */
  readonly isComputed: boolean;
  size = 0;
  readonly order: Groups['order'];
  #buffer: Uint32Array = new Uint32Array(4096);

  constructor(runtime: Runtime, grouping: BoundGrouping) {
    this.#codes = new GroupCodes(runtime, grouping);
    this.#aggregates = createAggregates(runtime, grouping);
    this.isComputed =
      this.#codes.isComputed || this.#aggregates.some(({ isComputed }) => isComputed);
    this.order = this.#codes.order;
  }

  add(frame: Frame, rows: Uint32Array): void {
    if (rows.length === 0) return;
    if (this.#buffer.length < rows.length) this.#buffer = new Uint32Array(rows.length * 2);
    const groups = this.#buffer.subarray(0, rows.length);
    this.#codes.encoder.encode(frame, rows, groups);
    this.#openGroups(frame, rows, groups);
    const grouped = {
      frame,
      rows,
      groups,
      groupCount: this.size,
      isConsecutive: isConsecutive(rows),
    };
    for (const aggregate of this.#aggregates) {
      aggregate.add(grouped);
    }
  }

  group(group: number): Group {
    return {
      keys: this.#codes.values(group),
      results: this.#aggregates.map((each) => each.result(group)),
    };
  }

  /** Codes are assigned in order, so a code beyond the groups so far opens the next one. */
  #openGroups(frame: Frame, rows: Uint32Array, groups: Uint32Array): void {
    if (this.size > 0 && this.size === this.#codes.encoder.size) return;
    for (let at = 0; at < groups.length; at += 1) {
      if ((groups[at] ?? 0) < this.size) continue;
      this.#codes.open(frame, rows[at] ?? 0);
      this.size += 1;
    }
  }
}
