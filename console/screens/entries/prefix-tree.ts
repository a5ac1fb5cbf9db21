// Groups keys by prefix. The branches below a prefix are found by skipping from one to the next,
// never by reading all keys: a branch costs three small requests, regardless of its size.
//
//   user:1  user:2  web:a  web:b        the branches are  user:  and  web:

export type Branch =
  | { readonly kind: 'group'; readonly prefix: string; readonly count: number }
  | { readonly kind: 'key'; readonly key: string };

export interface KeyRequest {
  readonly prefix: string;
  /** Lower bound, inclusive. */
  readonly from?: string | undefined;
  readonly after?: string | undefined;
  readonly order?: 'asc' | 'desc' | undefined;
  readonly limit: number;
  /** Whether all keys are counted. */
  readonly count?: 'exact' | undefined;
}

export type ReadKeys = (
  request: KeyRequest,
) => Promise<{ readonly keys: readonly string[]; readonly total: number | undefined }>;

export interface Branches {
  readonly branches: readonly Branch[];
  /** There are more. */
  readonly isCut: boolean;
}

/** Up to this many keys are shown directly. */
const FEW = 100;
const MAX_BRANCHES = 200;

export async function listBranches(read: ReadKeys, prefix: string): Promise<Branches> {
  const { keys, total = 0 } = await read({ prefix, limit: FEW, count: 'exact' });
  const [first] = keys;
  if (first === undefined || total <= FEW) {
    return { branches: keys.map((key) => ({ kind: 'key', key })), isCut: false };
  }
  const last = await lastKey(read, prefix);
  const common = commonPrefix(first, last ?? first);
  const branches: Branch[] = [];
  for (let key: string | undefined = first; key !== undefined; ) {
    if (branches.length >= MAX_BRANCHES) return { branches, isCut: true };
    if (key === common) {
      branches.push({ kind: 'key', key });
      [key] = (await read({ prefix: common, after: key, limit: 1 })).keys;
      continue;
    }
    const group: string = common + characterAt(key, common.length);
    const next = successor(group);
    const [branch, following]: [Branch, string | undefined] = await Promise.all([
      describe(read, group, key),
      next === undefined
        ? undefined
        : read({ prefix: common, from: next, limit: 1 }).then((page) => page.keys[0]),
    ]);
    branches.push(branch);
    key = following;
  }
  return { branches, isCut: false };
}

/** The name of a group is the common prefix of its keys. */
async function describe(read: ReadKeys, group: string, first: string): Promise<Branch> {
  const [{ total = 0 }, last] = await Promise.all([
    read({ prefix: group, limit: 1, count: 'exact' }),
    lastKey(read, group),
  ]);
  if (total <= 1 || last === undefined) return { kind: 'key', key: first };
  return { kind: 'group', prefix: commonPrefix(first, last), count: total };
}

async function lastKey(read: ReadKeys, prefix: string): Promise<string | undefined> {
  const { keys } = await read({ prefix, order: 'desc', limit: 1 });
  return keys[0];
}

function commonPrefix(a: string, b: string): string {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length += 1;
  // A surrogate pair is not split.
  if (isHighSurrogate(a.charCodeAt(length - 1))) length -= 1;
  return a.slice(0, length);
}

function characterAt(text: string, at: number): string {
  return String.fromCodePoint(text.codePointAt(at) ?? 0);
}

/**
 * The first text, in the order of UTF-16 code units, after all that begin with the prefix;
 * undefined when there is none.
 */
export function successor(prefix: string): string | undefined {
  const units = [...prefix].map((character) => character.codePointAt(0) ?? 0);
  const last = units.pop() ?? 0;
  const next = nextCodePoint(last);
  return next === undefined ? undefined : String.fromCodePoint(...units, next);
}

/** Characters beyond U+FFFF come between U+D7FF and U+E000. */
function nextCodePoint(point: number): number | undefined {
  if (point === 0xd7ff) return 0x10000;
  if (point === 0x10ffff) return 0xe000;
  return point === 0xffff ? undefined : point + 1;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}
