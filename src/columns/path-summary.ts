// The paths that occur in the documents of a region, as a tree of member names. A query for a path
// outside of it needs no column. Paths are added while documents are scanned and never removed, so
// the tree may have more paths than the region, never fewer.

import type { ColumnPath } from '../value/column-path.ts';

/** An object with more member names is a map: its node is open, so any member may exist. */
const MAX_MEMBERS = 512;
/** Limit of a whole summary, so that it stays small for any documents. */
const MAX_NODES = 4096;

interface NodeCount {
  nodes: number;
}

/** The values that occur at one path of the documents. */
export class SummaryNode {
  readonly #count: NodeCount;
  readonly #members: Map<string, SummaryNode> = new Map();
  #items: SummaryNode | undefined;
  #isOpen = false;

  constructor(count: NodeCount) {
    this.#count = count;
    count.nodes += 1;
  }

  /** Adds a member; undefined if the node is open or the summary full. */
  addMember(name: string): SummaryNode | undefined {
    if (this.#isOpen) return undefined;
    const known = this.#members.get(name);
    if (known !== undefined) return known;
    if (this.#members.size === MAX_MEMBERS || this.#count.nodes >= MAX_NODES) {
      this.open();
      return undefined;
    }
    const node = new SummaryNode(this.#count);
    this.#members.set(name, node);
    return node;
  }

  /** The node of the items of a list. */
  addItems(): SummaryNode {
    this.#items ??= new SummaryNode(this.#count);
    return this.#items;
  }

  /** From now on any member may exist. */
  open(): void {
    this.#isOpen = true;
    this.#members.clear();
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  findMember(name: string): SummaryNode | undefined {
    return this.#members.get(name);
  }

  get items(): SummaryNode | undefined {
    return this.#items;
  }
}

export class PathSummary {
  readonly root: SummaryNode = new SummaryNode({ nodes: 0 });
  /**
   * True once every document of the region was scanned; before that no path is known to be absent.
   */
  isComplete = false;

  /** False only for a path at which no document has a value. */
  mayHave(path: ColumnPath): boolean {
    if (!this.isComplete) return true;
    let nodes: ReadonlySet<SummaryNode> = new Set([this.root]);
    for (const [depth, segment] of path.entries()) {
      if (depth > 0) nodes = withItems(nodes);
      for (const name of segment) {
        if ([...nodes].some(({ isOpen }) => isOpen)) return true;
        nodes = membersOf(nodes, name);
      }
    }
    return nodes.size > 0;
  }
}

function membersOf(nodes: ReadonlySet<SummaryNode>, name: string): ReadonlySet<SummaryNode> {
  const members = new Set<SummaryNode>();
  for (const node of nodes) {
    const member = node.findMember(name);
    if (member !== undefined) members.add(member);
  }
  return members;
}

/** A value that is not a list counts as its own only item. */
function withItems(nodes: ReadonlySet<SummaryNode>): Set<SummaryNode> {
  const all = new Set(nodes);
  for (const { items } of nodes) if (items !== undefined) all.add(items);
  return all;
}
