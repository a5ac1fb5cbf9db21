// A principal: the sender of a request, with its permissions.

import { PermissionSet } from './permission.ts';

export interface Principal {
  readonly name: string;
  /** Differs between all logins: a user, an API key and a token may have the same name. */
  readonly login: string;
  readonly permissions: PermissionSet;
  /** When the login ends, in milliseconds since 1970; absent: never. */
  readonly expiresMs?: number | undefined;
}

/** Every client while authentication is off. */
export const ANYONE: Principal = {
  name: 'anyone',
  login: 'anyone',
  permissions: new PermissionSet([[]]),
};

/** A principal sees a region if it may read or write any key of it, or manage it. */
export function maySeeRegion({ permissions }: Principal, region: string): boolean {
  return (
    permissions.allows(['CLUSTER', 'READ']) ||
    permissions.allowsSome(['DATA', 'READ', region]) ||
    permissions.allowsSome(['DATA', 'WRITE', region])
  );
}

/**
 * Regions that a query may read; undefined for all. A query reads whole regions, so a grant of
 * single keys is not enough.
 */
export function readableRegions({
  permissions,
}: Principal): ((region: string) => boolean) | undefined {
  if (permissions.allows(['DATA', 'READ'])) return undefined;
  return (region) => permissions.allows(['DATA', 'READ', region]);
}

export function maySeeQuery({ permissions }: Principal, id: string): boolean {
  return permissions.allows(['QUERY', 'RUN', id]) || permissions.allows(['QUERY', 'MANAGE']);
}
