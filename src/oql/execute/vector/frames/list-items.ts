// The items of nested collections of the rows of a frame.

import type { SourceLists } from '../../../columnar/column-source.ts';
import type { Frame } from './frame.ts';

/** The row of the last item; -1 if there is none. */
export function lastParent(parents: Uint32Array, size: number): number {
  return size === 0 ? -1 : (parents[size - 1] ?? 0);
}

/** Each item with its row of the frame and its place, row by row. */
export function listItems(
  frame: Frame,
  parent: number,
  lists: SourceLists,
): { readonly parents: Uint32Array; readonly chunks: Uint32Array; readonly places: Uint32Array } {
  let total = 0;
  for (let row = 0; row < frame.size; row += 1) {
    const chunk = lists.chunk(frame.chunkAt(parent, row));
    total += chunk.counts[frame.placeAt(parent, row)] ?? 0;
  }
  const parents = new Uint32Array(total);
  const chunks = new Uint32Array(total);
  const places = new Uint32Array(total);
  let at = 0;
  for (let row = 0; row < frame.size; row += 1) {
    const chunkIndex = frame.chunkAt(parent, row);
    const chunk = lists.chunk(chunkIndex);
    const place = frame.placeAt(parent, row);
    const start = chunk.starts[place] ?? 0;
    const end = start + (chunk.counts[place] ?? 0);
    for (let item = start; item < end; item += 1, at += 1) {
      parents[at] = row;
      chunks[at] = chunkIndex;
      places[at] = item;
    }
  }
  return { parents, chunks, places };
}
