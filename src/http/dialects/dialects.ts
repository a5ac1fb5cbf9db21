// All dialects, by their names in the setting `http.dialects`.

import type { DialectMount, DialectRoute } from './dialect.ts';
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

/** The dialect that a path belongs to, served or not by one of its routes. */
export function findDialect(names: readonly DialectName[], path: string): DialectMount | undefined {
  const isBelow = ({ root }: DialectMount): boolean =>
    path.startsWith(root) && (path.length === root.length || path[root.length] === '/');
  const name = names.find((each) => isBelow(MOUNTS[each]));
  return name && MOUNTS[name];
}
