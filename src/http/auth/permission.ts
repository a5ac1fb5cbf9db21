// Permissions: `DATA:READ:orders:7` and the like. A shorter one covers all
// longer ones that begin with it, and `*` stands for any one part, so `DATA:READ`
// covers every key of every region.

/** The permission a request needs, in parts: `['DATA', 'READ', region, key]`. */
export type Need = readonly [domain: string, action: string, ...rest: readonly string[]];

/** Actions by domain, and how many parts may follow them. */
const ACTIONS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  DATA: { READ: 2, WRITE: 2, '*': 2 },
  QUERY: { RUN: 1, MANAGE: 0, '*': 0 },
  CLUSTER: { READ: 0, MANAGE: 0, '*': 0 },
};

export type ParsedPermission =
  | { readonly kind: 'parsed'; readonly parts: readonly string[] }
  | { readonly kind: 'refused'; readonly reason: string };

/** The last part may hold colons itself: keys and query ids do. */
export function parsePermission(text: string): ParsedPermission {
  if (text === '*') return { kind: 'parsed', parts: [] };
  const [domain = '', action, ...following] = text.split(':');
  const actions = Object.hasOwn(ACTIONS, domain) ? ACTIONS[domain] : undefined;
  if (actions === undefined) return refused(text, `must begin with ${wordsOf(ACTIONS)}`);
  if (action === undefined) return { kind: 'parsed', parts: [domain] };
  const maxFollowing = Object.hasOwn(actions, action) ? actions[action] : undefined;
  if (maxFollowing === undefined)
    return refused(text, `: after ${domain} comes ${wordsOf(actions)}`);
  if (following.length > 0 && maxFollowing === 0)
    return refused(text, `: nothing follows ${domain}:${action}`);
  const parts = [domain, action, ...joinBeyond(following, maxFollowing)];
  if (parts.includes('')) return refused(text, 'has an empty part');
  return { kind: 'parsed', parts: dropStars(parts) };
}

export function printNeed(need: Need): string {
  return need.join(':');
}

function refused(text: string, reason: string): ParsedPermission {
  const gap = reason.startsWith(':') ? '' : ' ';
  return { kind: 'refused', reason: `permission ${JSON.stringify(text)}${gap}${reason}` };
}

function wordsOf(record: Readonly<Record<string, unknown>>): string {
  return Object.keys(record).join(', ');
}

/** `['orders', 'a', 'b']` with room for two is region `orders`, key `a:b`. */
function joinBeyond(following: readonly string[], maxFollowing: number): readonly string[] {
  if (following.length <= maxFollowing) return following;
  return [...following.slice(0, maxFollowing - 1), following.slice(maxFollowing - 1).join(':')];
}

/** `DATA:READ:*` means the same as `DATA:READ`. */
function dropStars(parts: readonly string[]): readonly string[] {
  const last = parts.findLastIndex((part) => part !== '*');
  return parts.slice(0, last + 1);
}

interface GrantNode {
  /** Everything from here on is granted. */
  all: boolean;
  readonly next: Map<string, GrantNode>;
}

/** Grants as a tree, one level per part: a check costs a few look-ups, however many there are. */
export class PermissionSet {
  readonly #root: GrantNode = { all: false, next: new Map() };

  constructor(grants: Iterable<readonly string[]>) {
    for (const parts of grants) this.#add(parts);
  }

  /** Whether one grant covers the whole need. */
  allows(need: Need): boolean {
    return covers(this.#root, need, 'all');
  }

  /**
   * Whether the need or anything below it is granted: permission for one key makes its region
   * visible.
   */
  allowsSome(need: readonly string[]): boolean {
    return covers(this.#root, need, 'some');
  }

  /** The grants in the form that settings take: `DATA:READ:orders`, `*`. */
  list(): readonly string[] {
    return listGrants(this.#root, []);
  }

  #add(parts: readonly string[]): void {
    let node = this.#root;
    for (const part of parts) {
      const next = node.next.get(part) ?? { all: false, next: new Map() };
      node.next.set(part, next);
      node = next;
    }
    node.all = true;
  }
}

function listGrants({ all, next }: GrantNode, parts: readonly string[]): readonly string[] {
  // A grant covers everything below it.
  if (all) return [parts.length === 0 ? '*' : parts.join(':')];
  return [...next].flatMap(([part, node]) => listGrants(node, [...parts, part]));
}

/** Whether all that is needed is granted, or at least some of it. */
function covers(
  node: GrantNode | undefined,
  need: readonly string[],
  extent: 'all' | 'some',
  depth = 0,
): boolean {
  if (node === undefined) return false;
  if (node.all) return true;
  const part = need[depth];
  if (part === undefined) return extent === 'some';
  return (
    covers(node.next.get(part), need, extent, depth + 1) ||
    covers(node.next.get('*'), need, extent, depth + 1)
  );
}
