// GROUP BY columns of the build side of a hash join. Each build row has the code of its group as
// its label. The key of a probe row leads to these labels, without pairing it with build rows.

import type { HashJoinNode } from '../../../plan/plan-node.ts';
import { UNSEEN } from '../codes/number-codes.ts';
import { Frame, locateRows, nowhere } from '../frames/frame.ts';
import type { GroupCodes } from '../groups/group-keys.ts';
import type { GroupFinder } from '../groups/grouper.ts';
import { type Steps, withYieldPoints } from '../predicates/row-filter.ts';
import type { JoinTable } from './hash-join.ts';
import { buildJoinTable, joinKey } from './hash-join-operator.ts';
import { pickFound } from './pairs.ts';
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
  const { encoder, starts, labels } = table;
  const key = joinKey(runtime, node, 'outer');
  const findKeys = yield* withYieldPoints(encoder.finder(key));
  // If each key has one build row, a key leads to its label without a code between them.
  const findLabels = table.isUnique
    ? yield* withYieldPoints(encoder.finder(key, labels))
    : undefined;
  let buffer = new Uint32Array(4096);
  return {
    find: (frame, rows) => {
      if (findLabels === undefined) return findAll(rows, findKeys(frame).codes, table);
      if (buffer.length < rows.length) buffer = new Uint32Array(rows.length * 2);
      const found = pickFound(rows, findLabels(frame), buffer);
      return { rows: found.rows, groups: found.numbers };
    },
    // The first of equal keys is shown.
    open: (group, frame, row, code) => {
      let position = starts[findKeys(frame).codes[row] ?? 0] ?? 0;
      while (labels[position] !== code) position += 1;
      const first = locateRows(table.sorted.subarray(position, position + 1));
      codes.open(group, new Frame(1, [...nowhere(node.stage), first], runtime.columns), 0);
    },
  };
}

/** Rows of a frame with the codes of their groups; a row may occur several times. */
function findAll(probed: Uint32Array, keys: Int32Array, { labels, starts }: JoinTable) {
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
