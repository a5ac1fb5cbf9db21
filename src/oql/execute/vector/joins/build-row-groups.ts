// GROUP BY columns of the build side of a hash join. Each build row has the code of its group as
// its label. The key of a probe row leads to these labels, without pairing it with build rows.

import type { BoundGrouping } from '../../../bind/bound-query.ts';
import type { HashJoinNode } from '../../../plan/plan-node.ts';
import type { Group } from '../../../reference/environment.ts';
import { UNSEEN } from '../codes/number-codes.ts';
import { PagedWords } from '../codes/pages.ts';
import { Frame, locateRows, nowhere } from '../frames/frame.ts';
import { createAggregates } from '../groups/aggregate.ts';
import {
  type GroupedRows,
  isConsecutive,
  type VectorAggregate,
} from '../groups/argument-reader.ts';
import { GroupCodes } from '../groups/group-codes.ts';
import type { Groups } from '../groups/grouper.ts';
import { type Steps, withYieldPoints } from '../predicates/row-filter.ts';
import type { Runtime } from '../runtime.ts';
import type { JoinTable } from './hash-join.ts';
import { buildJoinTable, columnOf } from './hash-join-operator.ts';
import type { OperatorContext } from './row-operator.ts';

/** Reads the build side, and is then ready for the rows of the probe side. */
export function* openBuildRowGroups(
  context: OperatorContext,
  node: HashJoinNode,
  grouping: BoundGrouping,
): Steps<BuildRowGroups> {
  const { runtime } = context;
  const codes = new GroupCodes(runtime, grouping);
  const table = yield* buildJoinTable(context, node, (frame, rows) => {
    const found = new Uint32Array(rows.length);
    codes.encoder.encode(frame, rows, found);
    return found;
  });
  const columnNumber = runtime.columnNumberOf(node.equality.outer);
  const find = yield* withYieldPoints(table.encoder.finder(columnOf(runtime, columnNumber)));
  const findKeys = (frame: Frame): Int32Array => find(frame.vector(columnNumber), frame.size);
  const aggregates = createAggregates(runtime, grouping);
  return new BuildRowGroups(runtime, aggregates, { stage: node.stage, codes, table, findKeys });
}

interface BuildSide {
  readonly stage: number;
  readonly codes: GroupCodes;
  /** Its labels are codes of groups. */
  readonly table: JoinTable;
  /** The codes of the keys of probe rows; valid until the next call. */
  readonly findKeys: (frame: Frame) => Int32Array;
}

export class BuildRowGroups implements Groups {
  readonly #runtime: Runtime;
  readonly #build: BuildSide;
  readonly #aggregates: readonly VectorAggregate[];
  /** Whether arguments have to be computed row by row. */
  readonly isComputed: boolean;
  /** By code of a group: 1 once it has a row. */
  readonly #isOpen: Uint8Array;
  /** Code of each group that has rows, by its number. */
  readonly #codeOf = new PagedWords();
  size = 0;
  /** Pairs of rows that were grouped. */
  pairs = 0;
  readonly order: Groups['order'];
  #lastFrame: Frame | undefined;
  #lastKeys: Int32Array = new Int32Array(0);
  /** Groups of the rows that were added last, if keys are unique. */
  #buffer: Uint32Array = new Uint32Array(4096);

  constructor(runtime: Runtime, aggregates: readonly VectorAggregate[], build: BuildSide) {
    this.#runtime = runtime;
    this.#build = build;
    this.#aggregates = aggregates;
    this.isComputed = this.#aggregates.some(({ isComputed }) => isComputed);
    this.#isOpen = new Uint8Array(build.codes.encoder.size);
    this.order = build.codes.order;
  }

  /** Takes rows of the probe side. Each counts once for every build row of its key. */
  add(frame: Frame, probed: Uint32Array): void {
    // A frame may come in several pieces.
    if (this.#lastFrame !== frame) this.#lastKeys = this.#build.findKeys(frame);
    this.#lastFrame = frame;
    const { table } = this.#build;
    if (this.#buffer.length < probed.length) this.#buffer = new Uint32Array(probed.length * 2);
    const { rows, groups } = table.isUnique
      ? findUnique(probed, this.#lastKeys, table, this.#buffer)
      : findAll(probed, this.#lastKeys, table);
    this.pairs += rows.length;
    const groupCount = this.#isOpen.length;
    if (this.size < groupCount) this.#openGroups(rows, groups);
    const grouped = {
      frame,
      rows,
      groups,
      groupCount,
      isConsecutive: rows === probed && isConsecutive(rows),
    };
    for (const aggregate of this.#aggregates) aggregate.add(grouped);
  }

  #openGroups(rows: Uint32Array, groups: Uint32Array): void {
    for (let at = 0; at < groups.length; at += 1) {
      const group = groups[at] ?? 0;
      if (this.#isOpen[group] === 0) this.#open(group, this.#lastKeys[rows[at] ?? 0] ?? 0);
    }
  }

  /** The first of equal keys is shown. */
  #open(group: number, key: number): void {
    const { codes, stage, table } = this.#build;
    let position = table.starts[key] ?? 0;
    while (table.labels[position] !== group) position += 1;
    const first = locateRows(table.sorted.subarray(position, position + 1));
    codes.open(new Frame(1, [...nowhere(stage), first], this.#runtime.columns), 0);
    this.#isOpen[group] = 1;
    this.#codeOf.set(this.size, group);
    this.size += 1;
  }

  group(group: number): Group {
    const code = this.#codeOf.at(group);
    return {
      keys: this.#build.codes.values(group),
      results: this.#aggregates.map((each) => each.result(code)),
    };
  }
}

/** Rows of a frame with the codes of their groups; a row may occur several times. */
type Coded = Pick<GroupedRows, 'rows' | 'groups'>;

function findAll(probed: Uint32Array, keys: Int32Array, { labels, starts }: JoinTable): Coded {
  let size = 0;
  for (const row of probed) {
    const key = keys[row] ?? UNSEEN;
    if (key !== UNSEEN) size += (starts[key + 1] ?? 0) - (starts[key] ?? 0);
  }
  const rows = new Uint32Array(size);
  const groups = new Uint32Array(size);
  let at = 0;
  for (const row of probed) {
    const key = keys[row] ?? UNSEEN;
    const end = key === UNSEEN ? 0 : (starts[key + 1] ?? 0);
    for (let position = starts[key] ?? 0; position < end; position += 1, at += 1) {
      rows[at] = row;
      groups[at] = labels[position] ?? 0;
    }
  }
  return { rows, groups };
}

/** If each key has one row, its code is the position of that row. Writes the groups. */
function findUnique(
  probed: Uint32Array,
  keys: Int32Array,
  { labels }: JoinTable,
  groups: Uint32Array,
): Coded {
  const size = probed.length;
  let signs = 0;
  for (let at = 0; at < size; at += 1) {
    const key = keys[probed[at] ?? 0] ?? UNSEEN;
    signs |= key;
    groups[at] = labels[key] ?? 0;
  }
  // Every key has a build row.
  if (signs >= 0) return { rows: probed, groups: groups.subarray(0, size) };
  const rows = new Uint32Array(size);
  let count = 0;
  for (let at = 0; at < size; at += 1) {
    const row = probed[at] ?? 0;
    rows[count] = row;
    groups[count] = groups[at] ?? 0;
    count += Number(keys[row] !== UNSEEN);
  }
  return { rows: rows.subarray(0, count), groups: groups.subarray(0, count) };
}
