// Finds the line of a setting or declaration in the config file, for error messages.

import { type Document, isMap, isNode, isScalar, isSeq, type Pair } from 'yaml';

/** `gridkeep.yaml:12` for a path such as `regions[0].indexes[1]` or `auth.users.ada`. */
export type FindLocation = (path: string) => string | undefined;

/** A path inside a sentence. */
const PATH = /\b(?:regions|queries|auth)(?:\.[\w-]+|\[\d+\])*/;

export function createFindLocation(
  document: Document,
  locationAt: (offset: number | undefined) => string,
): FindLocation {
  return (path) => {
    let node: unknown = document.contents;
    let offset: number | undefined;
    for (const name of path.split(/[.[\]]+/).filter(Boolean)) {
      const found = findChild(node, name);
      if (found === undefined) break;
      offset = found.offset ?? offset;
      node = found.node;
    }
    return offset === undefined ? undefined : locationAt(offset);
  };
}

/** The first path that a problem names. */
export function findPath(problem: string): string | undefined {
  return PATH.exec(problem)?.[0];
}

interface Child {
  readonly node: unknown;
  readonly offset: number | undefined;
}

/** A member of a map, or an item of a list by its index or by its member `name`. */
function findChild(node: unknown, name: string): Child | undefined {
  if (isMap(node)) {
    const pair = node.items.find((item) => keyOf(item) === name);
    return pair && { node: pair.value, offset: offsetOf(pair.key) };
  }
  if (!isSeq(node)) return undefined;
  const item = node.items[Number(name)] ?? node.items.find((each) => nameOf(each) === name);
  return item === undefined ? undefined : { node: item, offset: offsetOf(item) };
}

function keyOf({ key }: Pair): string {
  return String(isScalar(key) ? key.value : key);
}

function nameOf(item: unknown): unknown {
  return isMap(item) ? item.get('name') : undefined;
}

function offsetOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}
