// A map whose keys are paths of a query, looked up one name at a time. Building a string for every
// path would cost more than the rest of the binder, and a query may have thousands of paths.

interface TableNode<Item> {
  item: Item | undefined;
  children: Map<string, TableNode<Item>> | undefined;
}

export class PathTable<Item> {
  readonly #rows = new Map<number, TableNode<Item>>();

  /** The item at the members of a row; created if there is none. */
  findOrAdd(row: number, members: readonly string[], create: () => Item): Item {
    let node = this.#rows.get(row) ?? addNode(this.#rows, row);
    for (let at = 0; at < members.length; at++) {
      const name = members[at] ?? '';
      node.children ??= new Map();
      node = node.children.get(name) ?? addNode(node.children, name);
    }
    node.item ??= create();
    return node.item;
  }

  find(row: number, members: readonly string[]): Item | undefined {
    let node = this.#rows.get(row);
    for (const name of members) node = node?.children?.get(name);
    return node?.item;
  }
}

function addNode<Key, Item>(nodes: Map<Key, TableNode<Item>>, key: Key): TableNode<Item> {
  const node = { item: undefined, children: undefined };
  nodes.set(key, node);
  return node;
}
