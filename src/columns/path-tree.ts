// The wanted paths of a document as a tree, so that one walk over the document fills all columns.

import type { Column } from './column.ts';
import type { ColumnPath } from './column-path.ts';
import type { ItemSink } from './item-lists.ts';

/**
 * A member name that was met, as it stands in a document: `"name":`. Documents of a region are
 * alike, so each name remembers which came after it: to test a guess takes a few words, to read a
 * name takes every byte.
 */
export class MemberName {
  /** Bytes of `"name":`; 0 for whatever has no fixed spelling. */
  readonly length: number;
  /** The spelling in words of four bytes; the last one overlaps the one before. */
  readonly words: Int32Array;
  readonly lastWord: number;
  readonly child: PathNode | undefined;
  /** What came next the last times. */
  next: MemberName | undefined;
  other: MemberName | undefined;

  constructor(spelling: Uint8Array, child: PathNode | undefined) {
    const view = new DataView(spelling.buffer, spelling.byteOffset, spelling.length);
    this.length = spelling.length;
    this.words = new Int32Array(spelling.length >> 2);
    for (let word = 0; word < this.words.length; word += 1) {
      this.words[word] = view.getInt32(word * 4, true);
    }
    this.lastWord = spelling.length < 4 ? 0 : view.getInt32(spelling.length - 4, true);
    this.child = child;
  }

  isAt(view: DataView, at: number): boolean {
    const last = at + this.length - 4;
    if (last + 4 > view.byteLength || view.getInt32(last, true) !== this.lastWord) return false;
    const { words } = this;
    for (let word = 0; word < words.length; word += 1) {
      if (view.getInt32(at + word * 4, true) !== words[word]) return false;
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
