// Parses the `auth:` part of the config file: logins and their permissions. This file checks
// shapes; http/auth checks hashes, roles and permissions when it is built.

import type { ApiKeySetting, AuthSettings, JwtSetting, UserSetting } from './auth-settings.ts';
import {
  type DeclaredFields,
  type EnvironmentVariables,
  FieldReader,
  isRecord,
  parseEach,
  type ReportProblem,
} from './declared-fields.ts';

const AUTH_MEMBERS = ['users', 'roles', 'api-keys', 'jwt'];
const USER_MEMBERS = ['name', 'password-hash', 'password-hash-env', 'roles', 'permissions'];
const API_KEY_MEMBERS = ['name', 'hash', 'hash-env', 'expires', 'roles', 'permissions'];
const JWT_MEMBERS = [
  'issuer',
  'audience',
  'jwks-url',
  'key-file',
  'key-env',
  'algorithms',
  'clock-tolerance-seconds',
  'roles-claim',
  'permissions-claim',
];
const MAX_CLOCK_TOLERANCE_SECONDS = 300;

/** Hashes and keys may also be in environment variables that the file names. */
export function parseAuth(
  plain: unknown,
  environment: EnvironmentVariables,
  report: ReportProblem,
): AuthSettings | undefined {
  if (!isRecord(plain)) {
    report(`auth must be a map with ${AUTH_MEMBERS.join(', ')}`);
    return undefined;
  }
  // Reports unknown members.
  new FieldReader(plain, 'auth', AUTH_MEMBERS, report);
  return {
    users: parseEach(plain['users'] ?? [], 'auth.users', report, userParser(environment)),
    roles: parseRoles(plain['roles'] ?? {}, report),
    apiKeys: parseEach(plain['api-keys'] ?? [], 'auth.api-keys', report, apiKeyParser(environment)),
    jwt: parseJwt(plain['jwt'] ?? undefined, environment, report),
  };
}

/** Whether the file itself contains a hash, not just the name of a variable. */
export function holdsHashes(plain: unknown): boolean {
  if (!isRecord(plain)) return false;
  const { users, 'api-keys': apiKeys } = plain;
  return [[users, 'password-hash'] as const, [apiKeys, 'hash'] as const].some(
    ([list, member]) =>
      Array.isArray(list) && list.some((each) => isRecord(each) && each[member] !== undefined),
  );
}

type ParseDeclared<Declared> = (
  plain: DeclaredFields,
  where: string,
  report: ReportProblem,
) => Declared | undefined;

function userParser(environment: EnvironmentVariables): ParseDeclared<UserSetting> {
  return (plain, where, report) => {
    const fields = new FieldReader(plain, where, USER_MEMBERS, report);
    const name = fields.text('name');
    const passwordHash = fields.requiredSecret('password-hash', environment);
    const grants = { roles: fields.texts('roles'), permissions: fields.texts('permissions') };
    if (name === undefined || passwordHash === undefined) return undefined;
    return { name, passwordHash, ...grants };
  };
}

function apiKeyParser(environment: EnvironmentVariables): ParseDeclared<ApiKeySetting> {
  return (plain, where, report) => {
    const fields = new FieldReader(plain, where, API_KEY_MEMBERS, report);
    const name = fields.text('name');
    const hash = fields.requiredSecret('hash', environment);
    const expires = fields.optionalText('expires');
    // Elsewhere null is absent; a key without a date would be valid forever.
    if (plain['expires'] === null) report(`${where}.expires must be a text`);
    const grants = { roles: fields.texts('roles'), permissions: fields.texts('permissions') };
    if (name === undefined || hash === undefined) return undefined;
    return { name, hash, expires, ...grants };
  };
}

/** A map from a role's name to its permissions. */
function parseRoles(plain: unknown, report: ReportProblem): AuthSettings['roles'] {
  if (!isRecord(plain)) {
    report('auth.roles must be a map from role to its permissions');
    return [];
  }
  const names = Object.keys(plain);
  const fields = new FieldReader(plain, 'auth.roles', names, report);
  return names.map((name) => ({ name, permissions: fields.texts(name) }));
}

function parseJwt(
  plain: unknown,
  environment: EnvironmentVariables,
  report: ReportProblem,
): JwtSetting | undefined {
  if (plain === undefined) return undefined;
  if (!isRecord(plain)) {
    report('auth.jwt must be a map');
    return undefined;
  }
  const fields = new FieldReader(plain, 'auth.jwt', JWT_MEMBERS, report);
  const algorithms = fields.texts('algorithms');
  return {
    issuer: fields.text('issuer') ?? '',
    audience: fields.text('audience') ?? '',
    jwksUrl: fields.optionalText('jwks-url'),
    keyFile: fields.optionalText('key-file'),
    // There is no member `key`: a key of several lines belongs in a file.
    keyText: fields.secret('key', environment),
    algorithms: algorithms.length === 0 ? ['RS256'] : algorithms,
    clockToleranceSeconds: fields.count('clock-tolerance-seconds', 5, MAX_CLOCK_TOLERANCE_SECONDS),
    rolesClaim: fields.optionalText('roles-claim') ?? 'roles',
    permissionsClaim: fields.optionalText('permissions-claim') ?? 'permissions',
  };
}
