// Unnests a collection: one row for each item of each row.

import type { ItemChunk } from '../../../columnar/column-source.ts';
import type { ItemsNode } from '../../../plan/plan-node.ts';
import type { Locator } from '../frames/frame.ts';
import { lastParent, listItems } from '../frames/list-items.ts';
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
      const reach = chunk.dense && lastParent(chunk.parents, chunk.size) < frame.size;
      if (reach) {
        const parents = chunk.parents.subarray(0, chunk.size);
        const items = wholeItems(locator.chunk, chunk);
        yield { frame: frame.pick(parents).extend(items), states: undefined };
        return;
      }
    }
    const { parents, chunks, places } = listItems(frame, shape.parent, lists);
    const items: Locator =
      locator?.kind !== 'within' && locator?.kind !== 'whole'
        ? { kind: 'scattered', chunks, places }
        : { kind: 'within', chunk: locator.chunk, places };
    const before = states && Uint8Array.from(parents, (row) => states[row] ?? NO);
    yield { frame: frame.pick(parents).extend(items), states: before };
  };
}

/** The current items; columns with a value for each of them need no check of tags. */
function wholeItems(index: number, chunk: ItemChunk): Locator {
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
