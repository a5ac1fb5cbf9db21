// What a request needs, by the word its route carries in the route table. The
// keys checked here are found by the same functions that the handlers use.

import { notPermitted } from '../errors.ts';
import type { ApiRequest } from '../request/api-request.ts';
import { decodePart } from '../request/decode-part.ts';
import { keysOfQuery, keysOfSegment } from '../request/keys.ts';
import { type Need, printNeed } from './permission.ts';
import { maySeeQuery, type Principal } from './principal.ts';

/**
 * `public`: no login. `login`: any. The others name what is done; those of lists
 * let in whoever may see any of it, and the handler leaves out the rest.
 */
export type Access =
  | 'public'
  | 'login'
  | 'list-regions'
  | 'read-region'
  | 'read-keys'
  | 'read-region-or-keys'
  | 'add-entry'
  | 'write-keys'
  | 'write-region-or-keys'
  | 'list-queries'
  | 'read-query'
  | 'run-query'
  | 'run-adhoc-query'
  | 'manage-queries'
  | 'read-cluster'
  | 'manage-cluster';

export interface AccessLimits {
  readonly maxKeysPerRequest: number;
}

type Rule = (request: ApiRequest, principal: Principal, limits: AccessLimits) => void;
type DataAction = 'READ' | 'WRITE';

const RULES: Readonly<Record<Exclude<Access, 'public'>, Rule>> = {
  login: () => undefined,
  'list-regions': (_request, principal) => {
    const { permissions } = principal;
    if (!permissions.allowsSome(['DATA'])) requireNeed(principal, ['CLUSTER', 'READ']);
  },
  'read-region': wholeRegion('READ'),
  'read-keys': namedKeys('READ', keysOfPath),
  'read-region-or-keys': namedKeys('READ', keysOfParameter),
  'add-entry': namedKeys('WRITE', newKey),
  'write-keys': namedKeys('WRITE', keysOfPathOrParameter),
  'write-region-or-keys': namedKeys('WRITE', keysOfParameter),
  'list-queries': (_request, principal) => {
    const { permissions } = principal;
    if (!permissions.allowsSome(['QUERY', 'RUN'])) requireNeed(principal, ['QUERY', 'MANAGE']);
  },
  'read-query': (request, principal) => {
    const id = firstSegment(request);
    if (!maySeeQuery(principal, id)) throw refuse(['QUERY', 'RUN', id]);
  },
  'run-query': (request, principal) =>
    requireNeed(principal, ['QUERY', 'RUN', firstSegment(request)]),
  'run-adhoc-query': fixed(['QUERY', 'RUN', 'adhoc']),
  'manage-queries': fixed(['QUERY', 'MANAGE']),
  'read-cluster': fixed(['CLUSTER', 'READ']),
  'manage-cluster': fixed(['CLUSTER', 'MANAGE']),
};

/** Throws `auth/not-permitted`, before anything about the thing asked for is looked up. */
export function authorise(
  access: Exclude<Access, 'public'>,
  request: ApiRequest,
  principal: Principal,
  limits: AccessLimits,
): void {
  RULES[access](request, principal, limits);
}

/** Whether whoever writes the keys of this request may also read what is stored under them. */
export function mayReadWritten(
  request: ApiRequest,
  { permissions }: Principal,
  limits: AccessLimits,
): boolean {
  const region: Need = ['DATA', 'READ', firstSegment(request)];
  if (permissions.allows(region)) return true;
  const keys = keysOfPathOrParameter(request, limits) ?? newKey(request);
  return keys?.every((key) => permissions.allows([...region, key])) === true;
}

function fixed(need: Need): Rule {
  return (_request, principal) => requireNeed(principal, need);
}

function wholeRegion(action: DataAction): Rule {
  return (request, principal) => requireNeed(principal, ['DATA', action, firstSegment(request)]);
}

type FindKeys = (request: ApiRequest, limits: AccessLimits) => readonly string[] | undefined;

/** Every key the request names; the whole region when it names none. */
function namedKeys(action: DataAction, findKeys: FindKeys): Rule {
  return (request, principal, limits) => {
    const region: Need = ['DATA', action, firstSegment(request)];
    if (principal.permissions.allows(region)) return;
    const keys = findKeys(request, limits);
    if (keys === undefined || keys.length === 0) throw refuse(region);
    for (const key of keys) requireNeed(principal, [...region, key]);
  };
}

function keysOfPath(request: ApiRequest, limits: AccessLimits): readonly string[] | undefined {
  const segment = request.segments[1];
  return segment === undefined ? undefined : keysOfSegment(segment, limits.maxKeysPerRequest);
}

function keysOfParameter(request: ApiRequest, limits: AccessLimits): readonly string[] | undefined {
  return keysOfQuery(request.query, limits.maxKeysPerRequest);
}

function keysOfPathOrParameter(
  request: ApiRequest,
  limits: AccessLimits,
): readonly string[] | undefined {
  return keysOfPath(request, limits) ?? keysOfParameter(request, limits);
}

/** Without a key of its own the entry may get any. */
function newKey(request: ApiRequest): readonly string[] | undefined {
  const key = request.query.text('key');
  return key === undefined ? undefined : [key];
}

function firstSegment(request: ApiRequest): string {
  return decodePart(request.segments[0] ?? '');
}

function requireNeed({ permissions }: Principal, need: Need): void {
  if (!permissions.allows(need)) throw refuse(need);
}

function refuse(need: Need): Error {
  return notPermitted(printNeed(need));
}
