// Builds the authenticator from settings. Reports all invalid settings at once and ignores none: an
// ignored one would lock a user out or let a stranger in.

import type {
  ApiKeySetting,
  AuthSettings,
  JwtSetting,
  UserSetting,
} from '../../config/auth-settings.ts';
import { parseRfc3339 } from '../../value/iso-date.ts';
import { nearestName } from '../../value/nearest-name.ts';
import { type ApiKey, ApiKeys, parseApiKeyHash } from './api-key.ts';
import { Authenticator, type AuthenticatorParts, type Tokens, type User } from './authenticator.ts';
import { createDummyHash, parsePasswordHash } from './password-hash.ts';
import { PermissionSet, parsePermission } from './permission.ts';
import type { Principal } from './principal.ts';
import { createTokenVerifier, TOKEN_ALGORITHMS, type VerifiedToken } from './token-verifier.ts';

export type AuthenticatorOutcome =
  | { readonly kind: 'built'; readonly authenticator: Authenticator }
  | { readonly kind: 'refused'; readonly problems: readonly string[] };

export interface AuthenticatorTools extends Pick<AuthenticatorParts, 'now' | 'wallClock'> {
  /** The text of a file that a setting names. */
  readonly readFile: (path: string) => Promise<string>;
}

export async function buildAuthenticator(
  settings: AuthSettings,
  tools: AuthenticatorTools,
): Promise<AuthenticatorOutcome> {
  const build = new Build(settings);
  const users = build.users(settings.users);
  const apiKeys = build.apiKeys(settings.apiKeys);
  const tokens =
    settings.jwt === undefined ? undefined : await build.tokens(settings.jwt, tools.readFile);
  if (settings.users.length + settings.apiKeys.length === 0 && settings.jwt === undefined) {
    build.problems.push('auth declares no login: it needs users, api-keys or jwt');
  }
  if (build.problems.length > 0) return { kind: 'refused', problems: build.problems };
  const dummyHash = createDummyHash([...users.values()].map(({ hash }) => hash));
  const { now, wallClock } = tools;
  return {
    kind: 'built',
    authenticator: new Authenticator({ users, apiKeys, tokens, dummyHash, now, wallClock }),
  };
}

type Grant = readonly string[];

class Build {
  readonly problems: string[] = [];
  readonly #roles: ReadonlyMap<string, readonly Grant[]>;

  constructor({ roles }: AuthSettings) {
    this.#reportRepeats('auth.roles', roles);
    this.#roles = new Map(
      roles.map(({ name, permissions }) => [name, this.#grants(`auth.roles.${name}`, permissions)]),
    );
  }

  users(settings: readonly UserSetting[]): ReadonlyMap<string, User> {
    this.#reportRepeats('auth.users', settings);
    const users = new Map<string, User>();
    for (const setting of settings) {
      const where = `auth.users.${setting.name}`;
      const hash = parsePasswordHash(setting.passwordHash);
      const principal = this.#principal(where, 'user', setting);
      if (setting.name.includes(':'))
        this.problems.push(`${where}: a name must not contain a colon`);
      // The text is not shown: it may be the password itself.
      if (hash === undefined) {
        this.problems.push(`${where}.password-hash must come from "gridkeep hash-password"`);
      } else users.set(setting.name, { hash, principal });
    }
    return users;
  }

  apiKeys(settings: readonly ApiKeySetting[]): ApiKeys {
    this.#reportRepeats('auth.api-keys', settings);
    const keys: ApiKey[] = [];
    const hashes = new Set<string>();
    for (const setting of settings) {
      const where = `auth.api-keys.${setting.name}`;
      const digest = parseApiKeyHash(setting.hash);
      const principal = this.#principal(where, 'key', setting);
      const expiresMs = this.#time(`${where}.expires`, setting.expires);
      if (digest === undefined) {
        this.problems.push(`${where}.hash must come from "gridkeep make-api-key"`);
      } else if (hashes.has(setting.hash)) {
        this.problems.push(`${where}.hash is that of another key`);
      } else keys.push({ digest, expiresMs, principal: { ...principal, expiresMs } });
      hashes.add(setting.hash);
    }
    return new ApiKeys(keys);
  }

  async tokens(
    setting: JwtSetting,
    readFile: (path: string) => Promise<string>,
  ): Promise<Tokens | undefined> {
    const { algorithms, jwksUrl, keyFile, keyText } = setting;
    const unknown = algorithms.filter((algorithm) => !TOKEN_ALGORITHMS.includes(algorithm));
    if (unknown.length > 0 || algorithms.length === 0) {
      this.problems.push(`auth.jwt.algorithms must be some of ${TOKEN_ALGORITHMS.join(', ')}`);
    }
    if ([jwksUrl, keyFile, keyText].filter((source) => source !== undefined).length !== 1) {
      this.problems.push('auth.jwt needs one of jwks-url, key-file and key-env');
    }
    if (jwksUrl !== undefined && !isSafeUrl(jwksUrl)) {
      this.problems.push('auth.jwt.jwks-url must be an https address');
    }
    if (this.problems.length > 0) return undefined;
    try {
      const text = keyFile === undefined ? keyText : await readFile(keyFile);
      const verify = await createTokenVerifier(setting, text);
      return { verify, toPrincipal: (token) => this.#ofToken(token, setting) };
    } catch (error) {
      // A parser's message may quote the text, which may be a secret; that of a failed read does not.
      const reason = error instanceof Error && 'syscall' in error ? `: ${error.message}` : '';
      const source = keyFile === undefined ? 'key-env' : 'key-file';
      this.problems.push(`auth.jwt.${source} cannot be used${reason}`);
      return undefined;
    }
  }

  /** Unknown roles and permissions are ignored: tokens serve other services too. */
  #ofToken({ claims, subject }: VerifiedToken, setting: JwtSetting): Principal {
    const roles = textsOf(claimAt(claims, setting.rolesClaim));
    const permissions = textsOf(claimAt(claims, setting.permissionsClaim));
    const grants = [
      ...roles.flatMap((role) => this.#roles.get(role) ?? []),
      ...permissions.flatMap((text) => {
        const permission = parsePermission(text);
        return permission.kind === 'parsed' ? [permission.parts] : [];
      }),
    ];
    return { name: subject, login: `token ${subject}`, permissions: new PermissionSet(grants) };
  }

  #principal(
    where: string,
    kind: 'user' | 'key',
    setting: Pick<UserSetting, 'name' | 'roles' | 'permissions'>,
  ): Principal {
    const roleGrants = setting.roles.flatMap((role) => {
      const grants = this.#roles.get(role);
      if (grants === undefined) {
        const nearest = nearestName(role, this.#roles.keys());
        const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`;
        this.problems.push(`${where}: there is no role ${role}${hint}`);
      }
      return grants ?? [];
    });
    const ownGrants = this.#grants(where, setting.permissions);
    const { name } = setting;
    const permissions = new PermissionSet([...roleGrants, ...ownGrants]);
    return { name, login: `${kind} ${name}`, permissions };
  }

  #grants(where: string, permissions: readonly string[]): readonly Grant[] {
    return permissions.flatMap((text) => {
      const permission = parsePermission(text);
      if (permission.kind === 'parsed') return [permission.parts];
      this.problems.push(`${where}: ${permission.reason}`);
      return [];
    });
  }

  #time(where: string, text: string | undefined): number | undefined {
    if (text === undefined) return undefined;
    // `Date.parse` accepts nearly any text, and reads 30 February as 2 March.
    const time = parseRfc3339(/^[\d-]+$/.test(text) ? `${text}T00:00:00Z` : text);
    if (time === undefined) {
      this.problems.push(
        `${where} must be a date such as 2030-01-31, or a time such as 2030-01-31T12:00:00Z`,
      );
    }
    return time;
  }

  #reportRepeats(where: string, settings: readonly { readonly name: string }[]): void {
    const seen = new Set<string>();
    for (const { name } of settings) {
      if (seen.has(name)) this.problems.push(`${where}: ${name} occurs twice`);
      seen.add(name);
    }
  }
}

/**
 * Keys fetched over plain HTTP could be forged; only loopback addresses are trusted without TLS.
 */
function isSafeUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url === null) return false;
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLocal);
}

/** `realm_access.roles` is a path into nested claims; a claim with exactly that name wins. */
function claimAt(claims: object, path: string): unknown {
  const members = new Map<string, unknown>(Object.entries(claims));
  if (members.has(path)) return members.get(path);
  const dot = path.indexOf('.');
  const inner = dot < 0 ? undefined : members.get(path.slice(0, dot));
  if (typeof inner !== 'object' || inner === null) return undefined;
  return claimAt(inner, path.slice(dot + 1));
}

/** A list of texts, or one text with blanks, as `scope` has it. */
function textsOf(claim: unknown): readonly string[] {
  if (typeof claim === 'string') return claim.split(' ').filter((word) => word !== '');
  return Array.isArray(claim) ? claim.filter((item) => typeof item === 'string') : [];
}
