// GROUP BY columns of the build side of a hash join. Each build row has the code of its group as
// its label. The key of a probe row leads to these labels, without pairing it with build rows.

import type { HashJoinNode } from '../../../plan/plan-node.ts';
import { UNSEEN } from '../codes/number-codes.ts';
import { Frame, locateRows, nowhere } from '../frames/frame.ts';
import type { GroupedRows } from '../groups/argument-reader.ts';
import type { GroupCodes } from '../groups/group-keys.ts';
import type { GroupFinder } from '../groups/grouper.ts';
import { type Steps, withYieldPoints } from '../predicates/row-filter.ts';
import type { JoinTable } from './hash-join.ts';
import { buildJoinTable, joinKey } from './hash-join-operator.ts';
import { pickUnique } from './pairs.ts';
import type { OperatorContext } from './row-operator.ts';

/** Reads the build side. Each probe row counts once for every build row of its key. */
export function* groupByBuildRows(
  context: OperatorContext,
  node: HashJoinNode,
  codes: GroupCodes,
): Steps<GroupFinder> {
  const { runtime } = context;
  const table = yield* buildJoinTable(context, node, (frame, rows) => {
    const found = new Uint32Array(rows.length);
    codes.encoder.encode(frame, rows, found);
    return found;
  });
  const findKeys = yield* withYieldPoints(table.encoder.finder(joinKey(runtime, node, 'outer')));
  let lastFrame: Frame | undefined;
  let keys: Int32Array = new Int32Array(0);
  let buffer = new Uint32Array(4096);
  return {
    find: (frame, rows) => {
      // A frame may come in several pieces.
      if (lastFrame !== frame) keys = findKeys(frame);
      lastFrame = frame;
      if (buffer.length < rows.length) buffer = new Uint32Array(rows.length * 2);
      if (!table.isUnique) return findAll(rows, keys, table);
      const unique = pickUnique(rows, keys, table.labels, buffer);
      return { rows: unique.rows, groups: unique.picked };
    },
    // The first of equal keys is shown.
    open: (group, code, _, row) => {
      let position = table.starts[keys[row] ?? 0] ?? 0;
      while (table.labels[position] !== code) position += 1;
      const first = locateRows(table.sorted.subarray(position, position + 1));
      codes.open(group, new Frame(1, [...nowhere(node.stage), first], runtime.columns), 0);
    },
  };
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
