// Unnests a collection: one row for each item of each row.

import type { SourceItems, SourceLists } from '../../../../value/column-data.ts';
import type { ItemsNode } from '../../../plan/plan-node.ts';
import type { Frame, Locator } from '../frames/frame.ts';
import type { Candidates } from '../predicates/row-filter.ts';
import { NO } from '../predicates/states.ts';
import type { OperatorContext, RowOperator } from './row-operator.ts';

export function itemsOperator({ runtime }: OperatorContext, { stage }: ItemsNode): RowOperator {
  const shape = runtime.shape.iterators[stage];
  if (shape?.kind !== 'items') throw new Error('not a nested collection');
  const lists = runtime.tableOf(stage).lists(shape.collection);
  return function* expandItems({ frame, states }): Generator<Candidates> {
    const locator = frame.locators[shape.parent];
    if (locator?.kind === 'whole' && states === undefined) {
      const chunk = lists.chunk(locator.chunk);
      const lastParent = chunk.size === 0 ? -1 : (chunk.parents[chunk.size - 1] ?? 0);
      if (chunk.dense && lastParent < frame.size) {
        const parents = chunk.parents.subarray(0, chunk.size);
        const items = wholeItems(locator.chunk, chunk);
        yield { frame: frame.pick(parents).extend(items), states: undefined };
        return;
      }
    }
    const { parents, chunks, positions } = listItems(frame, shape.parent, lists);
    const items: Locator =
      locator?.kind !== 'within' && locator?.kind !== 'whole'
        ? { kind: 'scattered', chunks, positions }
        : { kind: 'within', chunk: locator.chunk, positions };
    const before = states && Uint8Array.from(parents, (row) => states[row] ?? NO);
    yield { frame: frame.pick(parents).extend(items), states: before };
  };
}

/** The current items; columns with a value for each of them need no check of tags. */
function wholeItems(index: number, chunk: SourceItems): Locator {
  const { size } = chunk;
  return {
    kind: 'whole',
    chunk: index,
    // Columns are read later, when writes may have added items after these.
    get isFull(): boolean {
      return chunk.size === size;
    },
  };
}

/** Each item with its row of the frame and its position, row by row. */
function listItems(frame: Frame, parent: number, lists: SourceLists) {
  let total = 0;
  for (let row = 0; row < frame.size; row += 1) {
    const chunk = lists.chunk(frame.chunkAt(parent, row));
    total += chunk.counts[frame.positionAt(parent, row)] ?? 0;
  }
  const parents = new Uint32Array(total);
  const chunks = new Uint32Array(total);
  const positions = new Uint32Array(total);
  let at = 0;
  for (let row = 0; row < frame.size; row += 1) {
    const chunkIndex = frame.chunkAt(parent, row);
    const chunk = lists.chunk(chunkIndex);
    const position = frame.positionAt(parent, row);
    const start = chunk.starts[position] ?? 0;
    const end = start + (chunk.counts[position] ?? 0);
    for (let item = start; item < end; item += 1, at += 1) {
      parents[at] = row;
      chunks[at] = chunkIndex;
      positions[at] = item;
    }
  }
  return { parents, chunks, positions };
}
