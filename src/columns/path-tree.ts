// The wanted paths of a document as a tree, so that one walk over the document fills all columns.

import type { Column } from './column.ts';
import type { ColumnPath } from './column-path.ts';
import type { ItemSink } from './item-lists.ts';

/** What is wanted of the value at one place of a document. */
export class PathNode {
  readonly name: string;
  readonly nameBytes: Uint8Array;
  /** Takes the value itself. */
  column: Column | undefined;
  /** Takes the items, when the value is a collection. */
  items: ItemSink | undefined;
  /** What is wanted of each item. */
  item: PathNode | undefined;
  readonly children: PathNode[] = [];
  /** Children by the byte length of their names, the cheapest first test. */
  readonly byLength: (PathNode[] | undefined)[] = [];

  constructor(name: string) {
    this.name = name;
    this.nameBytes = new TextEncoder().encode(name);
  }

  child(name: string): PathNode {
    const known = this.children.find((node) => node.name === name);
    if (known !== undefined) return known;
    const node = new PathNode(name);
    this.children.push(node);
    const length = node.nameBytes.length;
    while (this.byLength.length <= length) this.byLength.push(undefined);
    const siblings = this.byLength[length] ?? [];
    siblings.push(node);
    this.byLength[length] = siblings;
    return node;
  }
}

export interface WantedPaths {
  readonly columns: readonly (readonly [ColumnPath, Column])[];
  /** Each with the path of the collection itself. */
  readonly lists: readonly (readonly [ColumnPath, ItemSink])[];
}

export function buildPathTree(wanted: WantedPaths): PathNode {
  const root = new PathNode('');
  for (const [path, column] of wanted.columns) descend(root, path).column = column;
  for (const [path, lists] of wanted.lists) {
    const node = descend(root, path);
    node.items = lists;
    node.item ??= new PathNode('');
  }
  return root;
}

function descend(root: PathNode, path: ColumnPath): PathNode {
  let node = root;
  path.forEach((segment, index) => {
    if (index > 0) {
      node.item ??= new PathNode('');
      node = node.item;
    }
    for (const name of segment) node = node.child(name);
  });
  return node;
}
