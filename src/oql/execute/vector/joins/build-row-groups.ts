// GROUP BY columns of the build side of a hash join. Each build row gets the code of its group
// once. The key of a probe row then leads to its groups, without pairing it with build rows.

import type { HashJoinNode } from '../../../plan/plan-node.ts';
import type { Group } from '../../../reference/environment.ts';
import type { FoundCodes, LabelFinder } from '../codes/find-codes.ts';
import { PagedWords } from '../codes/pages.ts';
import { Frame, locateRows, NOWHERE, nowhere } from '../frames/frame.ts';
import { createAggregates } from '../groups/aggregate.ts';
import { isRun, type VectorAggregate } from '../groups/argument-reader.ts';
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
): Steps<BuildRowGroups> {
  const { runtime } = context;
  const codes = new GroupCodes(runtime);
  const table = yield* buildJoinTable(context, node, (frame, rows) => {
    const found = new Uint32Array(rows.length);
    codes.encode(frame, rows, found);
    return found;
  });
  const outerSlot = runtime.slotOf(node.equality.outer);
  const opening = table.labelFinder(columnOf(runtime, outerSlot));
  const finder = yield* withYieldPoints(opening);
  return new BuildRowGroups(runtime, { node, codes, table, outerSlot, finder });
}

interface BuildSide {
  readonly node: HashJoinNode;
  readonly codes: GroupCodes;
  /** Its labels are codes of groups. */
  readonly table: JoinTable;
  readonly outerSlot: number;
  /** Finds codes of keys; where keys are unique, their labels are the codes of their groups. */
  readonly finder: LabelFinder;
}

/** Rows of a frame with the codes of their groups; a row may occur several times. */
interface Coded {
  readonly rows: Uint32Array;
  readonly codes: Uint32Array;
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
  #lastFound: FoundCodes = { codes: new Int32Array(0), areAllKnown: true };
  #lastExtended: Frame | undefined;

  constructor(runtime: Runtime, build: BuildSide) {
    this.#runtime = runtime;
    this.#build = build;
    this.#aggregates = createAggregates(runtime);
    this.isComputed = this.#aggregates.some(({ isComputed }) => isComputed);
    this.#isOpen = new Uint8Array(build.codes.size);
    this.order = build.codes.order;
  }

  /** Takes rows of the probe side. */
  add(frame: Frame, probed: Uint32Array): void {
    const found = this.#find(frame);
    const { isUnique } = this.#build.table;
    const { rows, codes } = isUnique
      ? dropUnmatched(probed, found)
      : this.#expand(probed, found.codes);
    this.pairs += rows.length;
    if (this.size < this.#isOpen.length) this.#openGroups(frame, rows, codes);
    const groupCount = this.#isOpen.length;
    this.#lastExtended ??= frame.extend(NOWHERE);
    const grouped = { frame: this.#lastExtended, rows, groups: codes, groupCount };
    for (const aggregate of this.#aggregates) {
      aggregate.add({ ...grouped, isRun: isUnique && isRun(rows) });
    }
  }

  /** A frame may come in several pieces. */
  #find(frame: Frame): FoundCodes {
    if (this.#lastFrame === frame) return this.#lastFound;
    const { finder, outerSlot, table } = this.#build;
    const vector = frame.vector(outerSlot);
    this.#lastFrame = frame;
    this.#lastExtended = undefined;
    // With one row per key, one look-up leads from the key to the group.
    this.#lastFound = table.isUnique
      ? finder.findLabels(vector, frame.size)
      : copyCodes(finder.find(vector, frame.size), frame.size);
    return this.#lastFound;
  }

  /** Each row once for every build row of its key. */
  #expand(probed: Uint32Array, found: Int32Array): Coded {
    const { starts, labels } = this.#build.table;
    let count = 0;
    for (const row of probed) {
      const code = found[row] ?? -1;
      if (code >= 0) count += (starts[code + 1] ?? 0) - (starts[code] ?? 0);
    }
    const rows = new Uint32Array(count);
    const codes = new Uint32Array(count);
    let at = 0;
    for (const row of probed) {
      const code = found[row] ?? -1;
      if (code < 0) continue;
      const end = starts[code + 1] ?? 0;
      for (let position = starts[code] ?? 0; position < end; position += 1, at += 1) {
        rows[at] = row;
        codes[at] = labels[position] ?? 0;
      }
    }
    return { rows, codes };
  }

  #openGroups(frame: Frame, rows: Uint32Array, codes: Uint32Array): void {
    const isOpen = this.#isOpen;
    for (let at = 0; at < codes.length; at += 1) {
      const code = codes[at] ?? 0;
      if (isOpen[code] !== 0) continue;
      isOpen[code] = 1;
      this.#open(frame, rows[at] ?? 0, code);
    }
  }

  /** The first of equal keys is shown. */
  #open(frame: Frame, row: number, code: number): void {
    const { codes, finder, node, outerSlot, table } = this.#build;
    const one = frame.pick(Uint32Array.of(row));
    const key = finder.find(one.vector(outerSlot), 1).codes[0] ?? 0;
    let position = table.starts[key] ?? 0;
    while (table.labels[position] !== code) position += 1;
    const first = locateRows(table.sorted.subarray(position, position + 1));
    codes.open(new Frame(1, [...nowhere(node.stage), first], this.#runtime.slots), 0);
    this.#codeOf.set(this.size, code);
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

/** Copies the codes, because opening a group looks up others before the next piece is added. */
function copyCodes({ codes, areAllKnown }: FoundCodes, size: number): FoundCodes {
  return { codes: codes.slice(0, size), areAllKnown };
}

/** The rows whose key has a build row; their groups are valid until the next frame. */
function dropUnmatched(probed: Uint32Array, { codes: found, areAllKnown }: FoundCodes): Coded {
  const size = probed.length;
  if (areAllKnown && isRun(probed)) {
    const first = probed[0] ?? 0;
    return { rows: probed, codes: new Uint32Array(found.buffer, first * 4, size) };
  }
  const rows = new Uint32Array(size);
  const codes = new Uint32Array(size);
  let count = 0;
  for (let at = 0; at < size; at += 1) {
    const row = probed[at] ?? 0;
    const code = found[row] ?? -1;
    rows[count] = row;
    codes[count] = code;
    count += Number(code >= 0);
  }
  return { rows: rows.subarray(0, count), codes: codes.subarray(0, count) };
}
