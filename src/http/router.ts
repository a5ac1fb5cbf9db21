// Finds the route of a raw path. Segments are compared raw; one that holds an
// escape is decoded first, for `%6Beys` is another spelling of `keys`.

import { badEncoding, methodNotAllowed, pathNotFound } from './errors.ts';
import type { Handler } from './handlers/handler.ts';
import { decodePart } from './request/decode-part.ts';

export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE';

export interface Route {
  readonly method: Method;
  /** For example `/grid-api/v1/{region}/keys`. */
  readonly path: string;
  readonly handle: Handler;
  /** `never`: the specification gives this path no HEAD. Else a GET route answers HEAD too. */
  readonly head?: 'never';
  /** Answered also when the service sheds load or drains. */
  readonly always?: true;
  /** Media types other than JSON that it answers with; such a route does its own negotiation. */
  readonly produces?: readonly string[];
}

export interface Match<R extends Route> {
  readonly route: R;
  readonly segments: readonly string[];
}

interface Node<R extends Route> {
  readonly literals: Map<string, Node<R>>;
  readonly methods: Map<string, R>;
  parameter: Node<R> | undefined;
}

export class Router<R extends Route> {
  readonly #root: Node<R> = emptyNode();

  constructor(routes: readonly R[]) {
    for (const route of routes) this.#add(route);
  }

  /** The route and its path segments; throws when the path or the method is unknown. */
  match(method: string, path: string): Match<R> {
    const segments: string[] = [];
    const node = this.#find(path, segments);
    if (node === undefined || node.methods.size === 0) throw pathNotFound(path);
    const route = node.methods.get(method);
    if (route === undefined) throw methodNotAllowed(method, [...node.methods.keys()]);
    return { route, segments };
  }

  /** Methods of a path, for OPTIONS; throws when the path is unknown. */
  methods(path: string): readonly string[] {
    const node = this.#find(path, []);
    if (node === undefined || node.methods.size === 0) throw pathNotFound(path);
    return [...node.methods.keys()];
  }

  #find(path: string, segments: string[]): Node<R> | undefined {
    if (path.charCodeAt(0) !== 0x2f) throw badEncoding(path);
    let node: Node<R> | undefined = this.#root;
    let start = 1;
    while (node !== undefined && start <= path.length) {
      const slash = path.indexOf('/', start);
      const end = slash < 0 ? path.length : slash;
      const segment = path.slice(start, end);
      start = end + 1;
      // A slash at the end is forgiven, but not behind a region: there it means an empty key.
      if (segment === '' && slash < 0 && segments.length === 0) break;
      node = this.#step(node, segment, segments);
    }
    return node;
  }

  #step(node: Node<R>, segment: string, segments: string[]): Node<R> | undefined {
    const literal = node.literals.get(segment.includes('%') ? decodePart(segment) : segment);
    if (literal !== undefined) return literal;
    if (node.parameter !== undefined) segments.push(segment);
    return node.parameter;
  }

  #add(route: R): void {
    let node = this.#root;
    for (const segment of route.path.split('/').slice(1)) {
      node = segment.startsWith('{') ? parameterOf(node) : literalOf(node, segment);
    }
    node.methods.set(route.method, route);
    if (route.method === 'GET' && route.head !== 'never' && !node.methods.has('HEAD')) {
      node.methods.set('HEAD', route);
    }
  }
}

function emptyNode<R extends Route>(): Node<R> {
  return { literals: new Map(), methods: new Map(), parameter: undefined };
}

function literalOf<R extends Route>(node: Node<R>, segment: string): Node<R> {
  const found = node.literals.get(segment) ?? emptyNode<R>();
  node.literals.set(segment, found);
  return found;
}

function parameterOf<R extends Route>(node: Node<R>): Node<R> {
  node.parameter ??= emptyNode<R>();
  return node.parameter;
}
