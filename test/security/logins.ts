// Valid and invalid users, API keys and tokens for tests.

import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { AuthSettings, JwtSetting } from '../../src/config/auth-settings.ts';
import { createApiKey } from '../../src/http/auth/api-key.ts';
import type { Authenticator } from '../../src/http/auth/authenticator.ts';
import { buildAuthenticator } from '../../src/http/auth/build-authenticator.ts';
import { hashPassword } from '../../src/http/auth/password-hash.ts';

export type Headers = Readonly<Record<string, string>>;

export const ISSUER = 'https://login.example.com/';
export const AUDIENCE = 'gridkeep';
/** Cheap, because no test needs a real cost. */
export const CHEAP = { N: 2, r: 1, p: 1 };

export function basic(user: string, password: string): Headers {
  const text = Buffer.from(`${user}:${password}`).toString('base64');
  return { Authorization: `Basic ${text}` };
}

export function bearer(token: string): Headers {
  return { Authorization: `Bearer ${token}` };
}

/** A request with the members that an authenticator reads. */
export function incomingWith(headers: Headers): IncomingMessage {
  const incoming = new IncomingMessage(new Socket());
  for (const [name, text] of Object.entries(headers)) {
    incoming.headers[name.toLowerCase()] = text;
    incoming.rawHeaders.push(name, text);
  }
  return incoming;
}

export interface SigningKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

export function createSigningKey(kid: string): SigningKey {
  return { kid, ...generateKeyPairSync('rsa', { modulusLength: 2048 }) };
}

export function jwksOf(...keys: readonly SigningKey[]): string {
  return JSON.stringify({
    keys: keys.map(({ kid, publicKey }) => ({
      ...publicKey.export({ format: 'jwk' }),
      kid,
      alg: 'RS256',
      use: 'sig',
    })),
  });
}

export type Claims = Readonly<Record<string, unknown>>;

/** Claims of a valid token; tests change one. */
export function rightClaims(claims: Claims = {}): Claims {
  const now = Math.floor(Date.now() / 1000);
  return { iss: ISSUER, aud: AUDIENCE, sub: 'tess', iat: now, exp: now + 600, ...claims };
}

export function rsToken(key: SigningKey, claims: Claims, header: Claims = {}): string {
  const text = `${encode({ alg: 'RS256', typ: 'JWT', kid: key.kid, ...header })}.${encode(claims)}`;
  return `${text}.${sign('sha256', Buffer.from(text), key.privateKey).toString('base64url')}`;
}

/** An unsigned token, which a library that trusts the header would accept. */
export function noneToken(claims: Claims): string {
  return `${encode({ alg: 'none', typ: 'JWT' })}.${encode(claims)}.`;
}

/** A token signed with the public key as an HMAC secret. */
export function hsToken(key: SigningKey, claims: Claims): string {
  const secret = key.publicKey.export({ type: 'spki', format: 'pem' });
  const text = `${encode({ alg: 'HS256', typ: 'JWT', kid: key.kid })}.${encode(claims)}`;
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
}

function encode(part: Claims): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}

export const JWT: JwtSetting = {
  issuer: ISSUER,
  audience: AUDIENCE,
  jwksUrl: undefined,
  keyFile: 'jwks.json',
  keyText: undefined,
  algorithms: ['RS256'],
  clockToleranceSeconds: 5,
  rolesClaim: 'roles',
  permissionsClaim: 'permissions',
};

export const NO_AUTH: AuthSettings = { users: [], roles: [], apiKeys: [], jwt: undefined };

export async function user(
  name: string,
  password: string,
  permissions: readonly string[],
): Promise<AuthSettings['users'][number]> {
  return { name, passwordHash: await hashPassword(password, CHEAP), roles: [], permissions };
}

export function apiKey(
  name: string,
  permissions: readonly string[],
  expires?: string,
): { readonly key: string; readonly setting: AuthSettings['apiKeys'][number] } {
  const { hash, key } = createApiKey();
  return { key, setting: { name, hash, expires, roles: [], permissions } };
}

export interface Clock {
  /** Monotonic milliseconds. */
  readonly now?: () => number;
  readonly wallClock?: () => number;
}

export async function authenticatorOf(
  settings: Partial<AuthSettings>,
  files: Readonly<Record<string, string>> = {},
  clock: Clock = {},
): Promise<Authenticator> {
  const outcome = await buildAuthenticator(
    { ...NO_AUTH, ...settings },
    {
      readFile: async (path) => {
        const text = files[path];
        if (text === undefined) throw new Error(`${path} does not exist`);
        return text;
      },
      now: clock.now ?? (() => performance.now()),
      wallClock: clock.wallClock ?? Date.now,
    },
  );
  if (outcome.kind === 'refused') throw new Error(outcome.problems.join('\n'));
  return outcome.authenticator;
}
