// The wanted paths of a document as a tree, so that one walk over the document fills all columns.

import type { Column } from './column.ts';
import type { ColumnPath } from './column-path.ts';
import type { ItemSink } from './item-lists.ts';

/**
 * A member name that was met, as it stands in a document: `"name":`. Documents of a region are
 * alike, so each name remembers which came after it: to test a guess takes two or three looks, to
 * read a name takes one for every byte.
 *
 * Eight bytes are compared as one double. No eight bytes of JSON are a NaN or a zero: the first would
 * need 7F behind a lead byte of UTF-8, the second NULs.
 */
export class MemberName {
  /** Bytes of `"name":`; 0 for whatever has no fixed spelling. */
  readonly length: number;
  /** First and last eight bytes of the spelling, or four where it has no eight. */
  readonly #head: number;
  readonly #tail: number;
  /** What lies between, the last of them overlapping. */
  readonly #middle: Float64Array;
  readonly child: PathNode | undefined;
  /** What came next the last times. */
  next: MemberName | undefined;
  other: MemberName | undefined;

  constructor(spelling: Uint8Array, child: PathNode | undefined) {
    const { length } = spelling;
    const view = new DataView(spelling.buffer, spelling.byteOffset, length);
    this.length = length;
    this.child = child;
    this.#head = length < 4 ? 0 : wordAt(view, 0, length);
    this.#tail = length < 4 ? 0 : wordAt(view, length - (length < 8 ? 4 : 8), length);
    this.#middle = Float64Array.from({ length: Math.max(0, (length - 9) >> 3) }, (_, index) =>
      view.getFloat64(8 + index * 8, true),
    );
  }

  isAt(view: DataView, at: number): boolean {
    const { length } = this;
    if (at + length > view.byteLength) return false;
    if (length < 8) {
      return (
        view.getInt32(at, true) === this.#head &&
        view.getInt32(at + length - 4, true) === this.#tail
      );
    }
    return (
      view.getFloat64(at, true) === this.#head &&
      view.getFloat64(at + length - 8, true) === this.#tail &&
      (length <= 16 || this.#hasMiddle(view, at + 8))
    );
  }

  #hasMiddle(view: DataView, start: number): boolean {
    const middle = this.#middle;
    for (let index = 0; index < middle.length; index += 1) {
      if (view.getFloat64(start + index * 8, true) !== middle[index]) return false;
    }
    return true;
  }

  /** Guesses this one next time; a name without a spelling cannot be guessed. */
  expect(name: MemberName): void {
    if (name.length === 0) return;
    if (this.next !== undefined) this.other = name;
    else this.next = name;
  }
}

function wordAt(view: DataView, at: number, length: number): number {
  return length < 8 ? view.getInt32(at, true) : view.getFloat64(at, true);
}

const NO_SPELLING = new Uint8Array(0);
/** The shortest spelling that has a word; that of the empty name has none. */
const SHORTEST_SPELLING = 4;
/** Names remembered for one place; objects with more of them are maps, whose order says nothing. */
const MAX_NAMES = 64;
const LONGEST_SPELLING = 256;

/** What is wanted of the value at one place of a document. */
export class PathNode {
  readonly name: string;
  /** Takes the value itself. */
  column: Column | undefined;
  /** Takes the items, when the value is a collection. */
  items: ItemSink | undefined;
  /** What is wanted of each item. */
  item: PathNode | undefined;
  readonly children: PathNode[] = [];
  /** Stands before the first member. */
  readonly start: MemberName = new MemberName(NO_SPELLING, undefined);
  readonly #unknown: MemberName = new MemberName(NO_SPELLING, undefined);
  /** By the length of their spelling. */
  readonly #names: (MemberName[] | undefined)[] = [];
  #roomForNames = MAX_NAMES;
  readonly #unusual: Map<PathNode, MemberName> = new Map();

  constructor(name: string) {
    this.name = name;
  }

  child(name: string): PathNode {
    const known = this.children.find((node) => node.name === name);
    if (known !== undefined) return known;
    const node = new PathNode(name);
    this.children.push(node);
    const spelling = new TextEncoder().encode(`${JSON.stringify(name)}:`);
    if (spelling.length >= SHORTEST_SPELLING) this.#remember(new MemberName(spelling, node));
    return node;
  }

  /** The name at `[start, end)`, which has no escapes, quotes and colon included. */
  nameAt(bytes: Uint8Array, view: DataView, start: number, end: number): MemberName {
    const length = end - start;
    for (const name of this.#names[length] ?? []) if (name.isAt(view, start)) return name;
    if (length < SHORTEST_SPELLING) return this.nameOf('');
    if (this.#roomForNames === 0 || length > LONGEST_SPELLING) return this.#unknown;
    this.#roomForNames -= 1;
    const name = new MemberName(bytes.slice(start, end), undefined);
    this.#remember(name);
    return name;
  }

  /** A name whose spelling is not to be remembered. */
  nameOf(text: string): MemberName {
    const child = this.children.find((node) => node.name === text);
    if (child === undefined) return this.#unknown;
    const known = this.#unusual.get(child);
    if (known !== undefined) return known;
    const name = new MemberName(NO_SPELLING, child);
    this.#unusual.set(child, name);
    return name;
  }

  #remember(name: MemberName): void {
    while (this.#names.length <= name.length) this.#names.push(undefined);
    const alike = this.#names[name.length] ?? [];
    alike.push(name);
    this.#names[name.length] = alike;
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
