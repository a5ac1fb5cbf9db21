// JSON Patch (RFC 6902): operations in order, all of them or none. Untouched parts keep their text.

import { equalJson } from './json-equal.ts';
import { kindOfJson, splitArray, splitObject } from './json-text.ts';
import { JsonNode } from './json-tree.ts';

/** Paths are JSON Pointers (RFC 6901) as lists of names; the empty list is the whole document. */
export type PatchOperation =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: Pointer; readonly value: string }
  | { readonly op: 'remove'; readonly path: Pointer }
  | { readonly op: 'move' | 'copy'; readonly from: Pointer; readonly path: Pointer };

export type Pointer = readonly string[];

export type PatchOutcome =
  | { readonly kind: 'applied'; readonly text: string }
  /** `operation` counts from 0. */
  | { readonly kind: 'failed'; readonly operation: number; readonly reason: string };

export interface PatchLimits {
  readonly maxOperations: number;
  /**
   * Total characters that copies and tests may read, because copies of copies grow exponentially.
   */
  readonly maxReadLength: number;
}

/** The operations of a checked, compact text; an error message if they are invalid. */
export function parseJsonPatch(
  compact: string,
  { maxOperations }: PatchLimits,
): readonly PatchOperation[] | string {
  if (kindOfJson(compact) !== 'array') return 'A JSON Patch is an array of operations';
  const elements = splitArray(compact);
  if (elements.length > maxOperations)
    return `A JSON Patch has at most ${maxOperations} operations`;
  const operations: PatchOperation[] = [];
  for (const [index, element] of elements.entries()) {
    const operation = parseOperation(element);
    if (typeof operation === 'string') return `Operation ${index}: ${operation}`;
    operations.push(operation);
  }
  return operations;
}

function parseOperation(element: string): PatchOperation | string {
  if (kindOfJson(element) !== 'object') return 'it is not an object';
  const members = splitObject(element);
  const op = parseText(members.get('op'));
  const path = parsePointer(members.get('path'));
  if (path === undefined) return 'path must be a JSON Pointer, such as /a/0';
  switch (op) {
    case 'add':
    case 'replace':
    case 'test': {
      const value = members.get('value');
      return value === undefined ? `${op} needs a value` : { op, path, value };
    }
    case 'remove':
      return { op, path };
    case 'move':
    case 'copy': {
      const from = parsePointer(members.get('from'));
      return from === undefined ? `from of ${op} must be a JSON Pointer` : { op, from, path };
    }
    default:
      return 'op must be one of add, remove, replace, move, copy, test';
  }
}

function parseText(json: string | undefined): string | undefined {
  if (json === undefined || kindOfJson(json) !== 'string') return undefined;
  return JSON.parse(json) as string; // its kind was just checked
}

function parsePointer(json: string | undefined): Pointer | undefined {
  const text = parseText(json);
  if (text === undefined || !/^(?:\/(?:[^~]|~[01])*)?$/s.test(text)) return undefined;
  return text
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The text must be checked and compact. */
export function applyJsonPatch(
  target: string,
  operations: readonly PatchOperation[],
  limits: PatchLimits,
): PatchOutcome {
  const patched = new PatchedDocument(target, limits);
  for (const [index, operation] of operations.entries()) {
    const reason = patched.apply(operation);
    if (reason !== undefined) return { kind: 'failed', operation: index, reason };
  }
  return { kind: 'applied', text: patched.print() };
}

const TOO_MUCH = 'the patch copies and tests too much';

/** The target location of an operation: a value, existing or new. */
interface Target {
  readonly parent: JsonNode;
  readonly name: string;
}

class PatchedDocument {
  #root: JsonNode;
  /** Characters that may still be read. */
  #readable: number;

  constructor(text: string, { maxReadLength }: PatchLimits) {
    this.#root = new JsonNode(text);
    this.#readable = maxReadLength;
  }

  print(): string {
    return this.#root.print();
  }

  /** Returns the reason if the operation cannot be applied. */
  apply(operation: PatchOperation): string | undefined {
    switch (operation.op) {
      case 'add':
        return this.#add(operation.path, new JsonNode(operation.value));
      case 'remove':
        return this.#remove(operation.path);
      case 'replace':
        return this.#replace(operation.path, operation.value);
      case 'test':
        return this.#test(operation.path, operation.value);
      case 'move':
        return this.#move(operation.from, operation.path);
      case 'copy':
        return this.#copy(operation.from, operation.path);
    }
  }

  #add(path: Pointer, node: JsonNode): string | undefined {
    const target = this.#targetOf(path);
    if (target === undefined) return missing(path.slice(0, -1));
    if (target === 'root') {
      this.#root = node;
      return undefined;
    }
    const { name, parent } = target;
    const elements = parent.elements();
    if (elements === undefined) {
      if (parent.kind !== 'object') return `${print(path)} lies in a value that has no parts`;
      parent.setMember(name, node);
      return undefined;
    }
    const index = name === '-' ? elements.length : indexOf(name);
    if (index === undefined || index > elements.length) return missing(path);
    elements.splice(index, 0, node);
    return undefined;
  }

  #remove(path: Pointer): string | undefined {
    if (this.#find(path) === undefined) return missing(path);
    const target = this.#targetOf(path);
    if (target === undefined || target === 'root') return 'the whole document cannot be removed';
    const elements = target.parent.elements();
    if (elements === undefined) target.parent.members()?.delete(target.name);
    else elements.splice(Number(target.name), 1);
    return undefined;
  }

  #replace(path: Pointer, value: string): string | undefined {
    if (this.#find(path) === undefined) return missing(path);
    const target = this.#targetOf(path);
    const node = new JsonNode(value);
    if (target === undefined || target === 'root') this.#root = node;
    else {
      const elements = target.parent.elements();
      if (elements === undefined) target.parent.setMember(target.name, node);
      else elements[Number(target.name)] = node;
    }
    return undefined;
  }

  #test(path: Pointer, value: string): string | undefined {
    const found = this.#find(path);
    if (found === undefined) return missing(path);
    const text = found.print();
    this.#readable -= text.length;
    if (this.#readable < 0) return TOO_MUCH;
    return equalJson(text, value) ? undefined : `${print(path)} has another value`;
  }

  #move(from: Pointer, path: Pointer): string | undefined {
    const found = this.#find(from);
    if (found === undefined) return missing(from);
    if (from.every((name, i) => path[i] === name)) {
      return from.length === path.length ? undefined : `${print(from)} cannot move into itself`;
    }
    return this.#remove(from) ?? this.#add(path, found);
  }

  #copy(from: Pointer, path: Pointer): string | undefined {
    const found = this.#find(from);
    if (found === undefined) return missing(from);
    const text = found.print();
    this.#readable -= text.length;
    if (this.#readable < 0) return TOO_MUCH;
    return this.#add(path, new JsonNode(text));
  }

  #find(path: Pointer): JsonNode | undefined {
    let node: JsonNode | undefined = this.#root;
    for (const name of path) node = node === undefined ? undefined : childOf(node, name);
    return node;
  }

  #targetOf(path: Pointer): Target | 'root' | undefined {
    const name = path.at(-1);
    if (name === undefined) return 'root';
    const parent = this.#find(path.slice(0, -1));
    return parent === undefined ? undefined : { parent, name };
  }
}

function childOf(node: JsonNode, name: string): JsonNode | undefined {
  const elements = node.elements();
  if (elements === undefined) return node.members()?.get(name)?.node;
  const index = indexOf(name);
  return index === undefined ? undefined : elements[index];
}

/** Digits without leading zeros. */
function indexOf(name: string): number | undefined {
  return /^(?:0|[1-9]\d{0,9})$/.test(name) ? Number(name) : undefined;
}

function missing(path: Pointer): string {
  return `${print(path)} does not exist`;
}

function print(path: Pointer): string {
  if (path.length === 0) return 'the document';
  return path.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
