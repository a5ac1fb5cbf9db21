// Refuses unknown query parameters: with `?opp=CREATE` ignored a write would lose its guard, and a
// loop over `?offset=` would read the same page for ever. The OpenAPI description of an operation
// lists its parameters.

import { nearestName } from '../../value/nearest-name.ts';
import { unknownParameter } from '../errors.ts';
import { requireOperation } from '../openapi/operations.ts';
import type { OwnRoute } from '../routes.ts';
import type { QueryString } from './query-string.ts';

/** Accepted by every request. */
const COMMON = ['pretty'];

/** Names that other APIs use, and ours for the same thing. */
const SYNONYMS: Readonly<Record<string, string>> = {
  offset: 'after',
  skip: 'after',
  start: 'from',
  end: 'to',
  page: 'cursor',
  size: 'limit',
  count: 'limit',
  top: 'limit',
  sort: 'order',
  filter: 'where',
  select: 'fields',
  expires: 'ttl',
};

export class KnownParameters {
  readonly #names = new Map<string, readonly string[]>();

  constructor(routes: readonly OwnRoute[]) {
    for (const { always, method, operation, path } of routes) {
      // Probes and browsers add their own parameters, which these requests ignore.
      const { tag, takesPlaceholders } = requireOperation(operation);
      if (always === true || tag === 'Service') continue;
      // Here the placeholders of the query decide which parameters exist.
      if (takesPlaceholders === true) continue;
      // HEAD accepts the parameters of GET.
      const getRoute = routes.find((route) => route.method === 'GET' && route.path === path);
      const isHead = method === 'HEAD' && getRoute !== undefined;
      const names = [
        ...namesOf(operation),
        ...(isHead ? namesOf(getRoute.operation) : []),
        ...COMMON,
      ];
      this.#names.set(operation, names);
    }
  }

  /** Throws `request/unknown-parameter`. */
  check(operation: string, query: QueryString): void {
    const known = this.#names.get(operation);
    if (known === undefined) return;
    for (const name of query.names()) {
      if (!known.includes(name)) throw unknownParameter(name, known, suggest(name, known));
    }
  }
}

function suggest(name: string, known: readonly string[]): string | undefined {
  const synonym = SYNONYMS[name.toLowerCase()];
  return synonym !== undefined && known.includes(synonym) ? synonym : nearestName(name, known);
}

function namesOf(operation: string): readonly string[] {
  const parameters = requireOperation(operation).parameters ?? [];
  return parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name);
}
