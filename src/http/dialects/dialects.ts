// All dialects, by their names in the setting `http.dialects`.

import type { DialectMount } from './dialect.ts';
import type { DialectRoute } from './dialect-route.ts';
import { geodeDialect } from './geode/geode-dialect.ts';
import { geodeRoutes } from './geode/geode-routes.ts';

export type DialectName = 'geode' | 'gemfire-api';

const MOUNTS: Readonly<Record<DialectName, DialectMount>> = {
  geode: { root: '/geode/v1', dialect: geodeDialect },
  'gemfire-api': { root: '/gemfire-api/v1', dialect: geodeDialect },
};

/** In their order in the documentation. */
export const DIALECT_NAMES: readonly DialectName[] = ['geode', 'gemfire-api'];

export function routesOfDialects(names: readonly DialectName[]): readonly DialectRoute[] {
  return names.flatMap((name) => geodeRoutes(MOUNTS[name].root));
}

/** Finds the dialect that a path belongs to, served or not by one of its routes. */
export class DialectRoots {
  readonly #mounts: readonly DialectMount[];

  constructor(names: readonly DialectName[]) {
    this.#mounts = names.map((name) => MOUNTS[name]);
  }

  find(path: string): DialectMount | undefined {
    return this.#mounts.find(
      ({ root }) =>
        path.startsWith(root) && (path.length === root.length || path[root.length] === '/'),
    );
  }
}
