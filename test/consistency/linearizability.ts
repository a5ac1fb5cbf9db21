// Checks whether the operations on one key could have happened one after another, each between its call
// and its answer (the search of Wing and Gong, with a cache of visited states).
//
//   client a   |--write 1--|        |---read 2---|
//   client b         |-----write 2-----|            fine: write 1, write 2, read 2

export type Operation =
  | { readonly kind: 'write'; readonly value: number }
  | { readonly kind: 'read'; readonly found: number | undefined }
  | {
      readonly kind: 'swap';
      readonly from: number;
      readonly to: number;
      readonly swapped: boolean;
    };

export interface Recorded {
  readonly operation: Operation;
  /** Positions in one order of events over all clients. */
  readonly called: number;
  /** Absent without an answer: it may have happened at any later time, or never. */
  readonly answered?: number;
}

interface Node {
  /** Index of the operation. */
  readonly index: number;
  readonly kind: 'call' | 'answer';
  previous: Node | undefined;
  next: Node | undefined;
  /** For a call: its answer. */
  answer: Node | undefined;
}

type Value = number | undefined;

/** True when there is an order that explains every answer. The key is absent at first. */
export function isLinearizable(history: readonly Recorded[]): boolean {
  const head = linkEvents(history);
  const tried = new Set<string>();
  const done = new Uint32Array(Math.ceil(history.length / 32));
  const path: { readonly call: Node; readonly before: Value }[] = [];
  let state: Value;
  let answersLeft = history.filter(({ answered }) => answered !== undefined).length;
  let node = head.next;
  while (answersLeft > 0) {
    if (node === undefined) return false;
    if (node.kind === 'call') {
      const operation = history[node.index]?.operation;
      const after = operation === undefined ? REFUSED : apply(operation, state);
      if (after !== REFUSED && isNew(node.index, after)) {
        path.push({ call: node, before: state });
        state = after;
        lift(node);
        if (node.answer !== undefined) answersLeft -= 1;
        node = head.next;
      } else node = node.next;
      continue;
    }
    // This answer's operation has not been placed, so the last choice was wrong.
    const last = path.pop();
    if (last === undefined) return false;
    state = last.before;
    flip(done, last.call.index);
    unlift(last.call);
    if (last.call.answer !== undefined) answersLeft += 1;
    node = last.call.next;
  }
  return true;

  /** Marks the operation as placed, unless this state was visited before. */
  function isNew(index: number, after: Value): boolean {
    flip(done, index);
    const key = `${done.join()}|${after}`;
    if (!tried.has(key)) {
      tried.add(key);
      return true;
    }
    flip(done, index);
    return false;
  }
}

const REFUSED = Symbol('this cannot have happened now');

function apply(operation: Operation, state: Value): Value | typeof REFUSED {
  switch (operation.kind) {
    case 'write':
      return operation.value;
    case 'read':
      return operation.found === state ? state : REFUSED;
    case 'swap':
      if ((operation.from === state) !== operation.swapped) return REFUSED;
      return operation.swapped ? operation.to : state;
  }
}

function linkEvents(history: readonly Recorded[]): Node {
  const events: { readonly at: number; readonly node: Node }[] = [];
  for (const [index, { answered, called }] of history.entries()) {
    const call = createNode(index, 'call');
    events.push({ at: called, node: call });
    if (answered === undefined) continue;
    call.answer = createNode(index, 'answer');
    events.push({ at: answered, node: call.answer });
  }
  events.sort((a, b) => a.at - b.at);
  const head = createNode(-1, 'call');
  let last = head;
  for (const { node } of events) {
    last.next = node;
    node.previous = last;
    last = node;
  }
  return head;
}

function createNode(index: number, kind: Node['kind']): Node {
  return { index, kind, previous: undefined, next: undefined, answer: undefined };
}

/** Removes a call and its answer from the list; their own links stay for `unlift`. */
function lift(call: Node): void {
  unlink(call);
  if (call.answer !== undefined) unlink(call.answer);
}

function unlift(call: Node): void {
  if (call.answer !== undefined) relink(call.answer);
  relink(call);
}

function unlink(node: Node): void {
  if (node.previous !== undefined) node.previous.next = node.next;
  if (node.next !== undefined) node.next.previous = node.previous;
}

function relink(node: Node): void {
  if (node.previous !== undefined) node.previous.next = node;
  if (node.next !== undefined) node.next.previous = node;
}

function flip(bits: Uint32Array, index: number): void {
  bits[index >> 5] = (bits[index >> 5] ?? 0) ^ (1 << (index & 31));
}
