// A map whose keys are paths of a query, looked up one name at a time. Building a string for every
// path would cost more than the rest of the binder, and a query may have thousands of paths.

interface Place<Item> {
  item: Item | undefined;
  below: Map<string, Place<Item>> | undefined;
}

export class PathTable<Item> {
  readonly #rows = new Map<number, Place<Item>>();

  /** The item at the members of a row; made and kept if there is none. */
  findOrAdd(row: number, members: readonly string[], create: () => Item): Item {
    let place = this.#rows.get(row) ?? newPlace(this.#rows, row);
    for (let at = 0; at < members.length; at++) {
      const name = members[at] ?? '';
      place.below ??= new Map();
      place = place.below.get(name) ?? newPlace(place.below, name);
    }
    place.item ??= create();
    return place.item;
  }

  find(row: number, members: readonly string[]): Item | undefined {
    let place = this.#rows.get(row);
    for (const name of members) place = place?.below?.get(name);
    return place?.item;
  }
}

function newPlace<Key, Item>(places: Map<Key, Place<Item>>, key: Key): Place<Item> {
  const place = { item: undefined, below: undefined };
  places.set(key, place);
  return place;
}
