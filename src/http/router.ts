// Finds the route of a raw path. Segments are compared raw; one with an escape is decoded first,
// because `%6Beys` means `keys`.

import { badEncoding, methodNotAllowed, pathNotFound } from './errors.ts';
import { decodePart } from './request/decode-part.ts';

/** The methods of the service as a whole, `*`. */
export const METHODS = ['GET', 'HEAD', 'QUERY', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

export type Method = (typeof METHODS)[number];

export interface Route {
  readonly method: Method;
  /** For example `/grid-api/v1/{region}/keys`. */
  readonly path: string;
  /** `never`: the specification gives this path no HEAD. Else a GET route answers HEAD too. */
  readonly head?: 'never';
  /**
   * Answered even while the service sheds load or drains; an answer that is only a status ignores
   * `Accept`.
   */
  readonly always?: true;
  /** Media types other than JSON that it answers with; such a route does its own negotiation. */
  readonly produces?: readonly string[];
}

export interface Match<R extends Route> {
  readonly route: R;
  readonly segments: readonly string[];
}

interface RouteNode<R extends Route> {
  /** Few, so comparing them one by one is cheaper than hashing each segment. */
  readonly literals: { readonly name: string; readonly node: RouteNode<R> }[];
  readonly methods: Map<string, R>;
  parameter: RouteNode<R> | undefined;
}

export class Router<R extends Route> {
  readonly #root: RouteNode<R> = emptyNode();
  readonly #shortcut: string;
  readonly #afterShortcut: RouteNode<R> | undefined;

  /** Most paths begin with `shortcut`, such as `/a/b/`; matching skips it in one step. */
  constructor(routes: readonly R[], shortcut = '/') {
    for (const route of routes) this.#add(route);
    this.#shortcut = shortcut;
    let node: RouteNode<R> | undefined = this.#root;
    for (const segment of shortcut.split('/').filter(Boolean)) {
      node = node?.literals.find((literal) => literal.name === segment)?.node;
    }
    this.#afterShortcut = node;
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
    if (path === '*') return METHODS;
    const node = this.#find(path, []);
    if (node === undefined || node.methods.size === 0) throw pathNotFound(path);
    return [...node.methods.keys()];
  }

  #find(path: string, segments: string[]): RouteNode<R> | undefined {
    if (path.charCodeAt(0) !== 0x2f) throw badEncoding(path);
    const skipsShortcut = path.startsWith(this.#shortcut);
    let node: RouteNode<R> | undefined = skipsShortcut ? this.#afterShortcut : this.#root;
    let start = skipsShortcut ? this.#shortcut.length : 1;
    let isAfterParameter = false;
    while (node !== undefined && start <= path.length) {
      const slash = path.indexOf('/', start);
      const end = slash < 0 ? path.length : slash;
      const segment = path.slice(start, end);
      start = end + 1;
      // A trailing slash is ignored, but not after a parameter: after a region it means an empty key.
      if (segment === '' && slash < 0 && !isAfterParameter) break;
      const parameters = segments.length;
      node = this.#step(node, segment, segments);
      isAfterParameter = segments.length > parameters;
    }
    return node;
  }

  #step(node: RouteNode<R>, segment: string, segments: string[]): RouteNode<R> | undefined {
    const name = segment.includes('%') ? decodePart(segment) : segment;
    for (const literal of node.literals) if (literal.name === name) return literal.node;
    if (node.parameter !== undefined) segments.push(segment);
    return node.parameter;
  }

  #add(route: R): void {
    let node = this.#root;
    for (const segment of route.path.split('/').filter(Boolean)) {
      node = segment.startsWith('{') ? parameterOf(node) : literalOf(node, segment);
    }
    node.methods.set(route.method, route);
    if (route.method === 'GET' && route.head !== 'never' && !node.methods.has('HEAD')) {
      node.methods.set('HEAD', route);
    }
  }
}

function emptyNode<R extends Route>(): RouteNode<R> {
  return { literals: [], methods: new Map(), parameter: undefined };
}

function literalOf<R extends Route>(node: RouteNode<R>, segment: string): RouteNode<R> {
  const existing = node.literals.find((literal) => literal.name === segment);
  if (existing !== undefined) return existing.node;
  const added = emptyNode<R>();
  node.literals.push({ name: segment, node: added });
  return added;
}

function parameterOf<R extends Route>(node: RouteNode<R>): RouteNode<R> {
  node.parameter ??= emptyNode<R>();
  return node.parameter;
}
