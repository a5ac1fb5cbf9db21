// The requested paths of a document as a tree, so that one walk over the document fills all
// columns.

import type { ColumnPath } from '../value/column-path.ts';
import type { Column } from './column.ts';
import type { ItemSink } from './item-lists.ts';
import type { SummaryNode } from './path-summary.ts';

/**
 * A member name as it is written in a document: `"name":`. Documents of a region are similar, so
 * each name remembers its successor: testing a guess takes two or three comparisons, reading a name
 * one per byte.
 *
 * Eight bytes are compared as one double. No eight bytes of JSON are a NaN or a zero: the first
 * would need 7F after a lead byte of UTF-8, the second NULs.
 */
export class MemberName {
  /** Bytes of `"name":`; 0 for a name without a fixed spelling. */
  readonly length: number;
  /** First and last eight bytes of the spelling, or four where it has no eight. */
  readonly #head: number;
  readonly #tail: number;
  /** The words between; the last may overlap the one before it. */
  readonly #middle: Float64Array;
  /** The requested parts of the member, or those of the summary below it. */
  child: PathNode | undefined;
  /** Whether the path summary has it, if there is one. */
  isSummarized = false;
  /** The members that followed it recently. */
  next: MemberName | undefined;
  other: MemberName | undefined;

  constructor(spelling: Uint8Array, child: PathNode | undefined) {
    const { length } = spelling;
    const view = new DataView(spelling.buffer, spelling.byteOffset, length);
    this.length = length;
    this.child = child;
    this.#head = length < 4 ? 0 : wordAt(view, 0, length);
    this.#tail = length < 4 ? 0 : wordAt(view, length - (length < 8 ? 4 : 8), length);
    this.#middle =
      length <= 16
        ? NO_WORDS
        : Float64Array.from({ length: (length - 9) >> 3 }, (_, index) =>
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

/** Distinguishes most spellings, by their first and last bytes and their length. */
function hashSpelling(view: DataView, at: number, length: number): number {
  const head = view.getInt32(at, true);
  const middle = view.getInt32(at + (length >> 1) - 2, true);
  const tail = view.getInt32(at + length - 4, true);
  return (Math.imul(Math.imul(head, 31) ^ middle, 31) ^ Math.imul(tail, 0x2c1b3c6d)) + length;
}

const NO_SPELLING = new Uint8Array(0);
const NO_WORDS = new Float64Array(0);
const decoder = new TextDecoder();
const encoder = new TextEncoder();
/** The shortest spelling that has a word; that of the empty name has none. */
const SHORTEST_SPELLING = 4;
/** Names remembered per node; objects with more are maps, whose order is not predictable. */
const MAX_NAMES = 64;
/** The same with a summary: beyond it the object counts as a map. */
const MAX_SUMMARIZED_NAMES = 1024;
const LONGEST_SPELLING = 256;
/** More than any object has. */
const ALL_MEMBERS = 1 << 30;

/** The requested parts of the value at one path of a document. */
export class PathNode {
  readonly name: string;
  /** Receives the value itself. */
  column: Column | undefined;
  /** Receives the items, if the value is a collection. */
  items: ItemSink | undefined;
  /** The requested parts of each item. */
  item: PathNode | undefined;
  /** Collects the names here and below; undefined without a summary. */
  summary: SummaryNode | undefined;
  readonly #children = new Map<string, PathNode>();
  /** The predecessor of the first member. */
  readonly start: MemberName = new MemberName(NO_SPELLING, undefined);
  readonly #unknown: MemberName = new MemberName(NO_SPELLING, undefined);
  /** By the hash of their spelling. */
  readonly #names = new Map<number, MemberName[]>();
  #rememberedNames = 0;
  /** Names that cannot be compared by their bytes: escaped, very long or empty. */
  readonly #unusual = new Map<string, MemberName>();

  constructor(name: string) {
    this.name = name;
  }

  /** Number of requested members. */
  get childCount(): number {
    return this.#children.size;
  }

  /** Number of members to find before the rest of an object can be skipped. */
  get membersToFind(): number {
    return this.summary === undefined ? this.#children.size : ALL_MEMBERS;
  }

  /** Whether only the items of the value are requested. */
  isForItemsOnly(): boolean {
    return this.column === undefined && this.#children.size === 0 && this.summary === undefined;
  }

  child(name: string): PathNode {
    const known = this.#children.get(name);
    if (known !== undefined) return known;
    const node = new PathNode(name);
    this.#children.set(name, node);
    const spelling = encoder.encode(`${JSON.stringify(name)}:`);
    if (spelling.length >= SHORTEST_SPELLING) this.#remember(spelling, node);
    return node;
  }

  /** The name at `[start, end)`, which has no escapes, quotes and colon included. */
  nameAt(bytes: Uint8Array, view: DataView, start: number, end: number): MemberName {
    const length = end - start;
    if (length < SHORTEST_SPELLING) return this.nameOf('');
    const alike = this.#names.get(hashSpelling(view, start, length));
    if (alike !== undefined) for (const name of alike) if (name.isAt(view, start)) return name;
    if (length > LONGEST_SPELLING) {
      return this.summary === undefined ? this.#unknown : this.nameOf(textAt(bytes, start, end));
    }
    if (!this.#hasRoom()) return this.#unknown;
    this.#rememberedNames += 1;
    return this.#remember(bytes.slice(start, end), undefined);
  }

  /** A name without a remembered spelling. */
  nameOf(text: string): MemberName {
    const known = this.#unusual.get(text);
    if (known !== undefined) return known;
    const child = this.#children.get(text);
    if (child === undefined && (this.summary === undefined || !this.#hasRoom())) {
      return this.#unknown;
    }
    if (child === undefined) this.#rememberedNames += 1;
    const name = new MemberName(NO_SPELLING, child);
    this.#unusual.set(text, name);
    if (this.summary !== undefined) this.#summarize(name, text);
    return name;
  }

  /** Adds a member to the summary at its first occurrence. */
  summarize(name: MemberName, bytes: Uint8Array, start: number): void {
    if (name.length > 0) this.#summarize(name, textAt(bytes, start, start + name.length));
    // There are too many names here to distinguish them.
    else if (name === this.#unknown) this.summary?.open();
  }

  #summarize(name: MemberName, text: string): void {
    name.isSummarized = true;
    const summary = this.summary?.addMember(text);
    if (summary === undefined) return;
    name.child ??= new PathNode(text);
    name.child.summary = summary;
  }

  #hasRoom(): boolean {
    const most = this.summary === undefined ? MAX_NAMES : MAX_SUMMARIZED_NAMES;
    return this.#rememberedNames < most;
  }

  #remember(spelling: Uint8Array, child: PathNode | undefined): MemberName {
    const view = new DataView(spelling.buffer, spelling.byteOffset, spelling.length);
    const hash = hashSpelling(view, 0, spelling.length);
    const name = new MemberName(spelling, child);
    const alike = this.#names.get(hash);
    if (alike === undefined) this.#names.set(hash, [name]);
    else alike.push(name);
    return name;
  }
}

/** The name in `"name":`, which has no escapes. */
function textAt(bytes: Uint8Array, start: number, end: number): string {
  return decoder.decode(bytes.subarray(start + 1, end - 2));
}

export interface RequestedPaths {
  readonly columns: readonly (readonly [ColumnPath, Column])[];
  /** Each with the path of the collection itself. */
  readonly lists: readonly (readonly [ColumnPath, ItemSink])[];
}

/** With a summary, scanning documents adds their paths to it. */
export function buildPathTree(requested: RequestedPaths, summary?: SummaryNode): PathNode {
  const root = new PathNode('');
  root.summary = summary;
  for (const [path, column] of requested.columns) descend(root, path).column = column;
  for (const [path, lists] of requested.lists) {
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
