// Finds the principal of a request. Logins verified within the last minute are found by a keyed
// hash, without waiting; other logins are verified, subject to the limit on failures. Only the log
// says why a login failed.

import { loginFailed, loginRequired, overloaded, tooManyFailures } from '../errors.ts';
import type { RequestHead } from '../request/request-head.ts';
import { type ApiKeys, isApiKey } from './api-key.ts';
import { type Credentials, findCredentials, parseCredentials } from './credentials.ts';
import { FailureLimit } from './failure-limit.ts';
import { type PasswordHash, verifyPassword } from './password-hash.ts';
import type { Principal } from './principal.ts';
import type { RefusedToken, VerifiedToken, VerifyToken } from './token-verifier.ts';
import { VerifiedLogins } from './verified-logins.ts';

export interface User {
  readonly hash: PasswordHash;
  readonly principal: Principal;
}

export interface Tokens {
  readonly verify: VerifyToken;
  readonly toPrincipal: (token: VerifiedToken) => Principal;
}

export interface AuthenticatorParts {
  readonly users: ReadonlyMap<string, User>;
  /** Verified in place of a user that does not exist, so that both take the same time. */
  readonly dummyHash: PasswordHash;
  readonly apiKeys: ApiKeys;
  readonly tokens: Tokens | undefined;
  /** Monotonic milliseconds. */
  readonly now: () => number;
  /** Milliseconds since 1970, for expiry. */
  readonly wallClock: () => number;
}

type Basic = Extract<Credentials, { kind: 'basic' }>;

/** A verified login, and how long it is valid. */
interface Verified {
  readonly principal: Principal;
  readonly validMs: number;
}

/** Passwords verified at once; each verification takes 32 MiB and a thread. */
const MAX_AT_ONCE = 2;
/** Passwords that wait for verification. Keys and tokens are cheap and do not wait. */
const MAX_QUEUED = 64;
/** Failures of a longer name are counted under its first characters: a client chooses its length. */
const MAX_COUNTED_NAME = 256;

export class Authenticator {
  #parts: AuthenticatorParts;
  #verified: VerifiedLogins;
  readonly #failures: FailureLimit;
  #challenge: string;
  /** Concurrent requests with the same login share one verification. */
  #pending = new Map<string, Promise<Principal>>();
  readonly #checks: ConcurrencyLimit = new ConcurrencyLimit(MAX_AT_ONCE);
  /** Called after logins were replaced: running work of an old login may no longer be permitted. */
  onReplaced: () => void = () => undefined;

  constructor(parts: AuthenticatorParts) {
    this.#parts = parts;
    this.#verified = new VerifiedLogins(parts.now);
    this.#failures = new FailureLimit(parts.now);
    this.#challenge = challengeOf(parts);
  }

  /** Throws `auth/login-required`, `auth/login-failed` or `auth/too-many-failures`. */
  authenticate(incoming: RequestHead): Principal | Promise<Principal> {
    const text = findCredentials(incoming);
    if (text === undefined) throw loginRequired(this.#challenge);
    const key = this.#verified.keyOf(text);
    const cached = this.#verified.find(key) ?? this.#pending.get(key);
    if (cached !== undefined) return cached;
    const login = this.#verify(text, key, addressOf(incoming));
    this.#pending.set(key, login);
    return login;
  }

  /**
   * From the next request on, accepts only the logins of the other. Drops cached logins; counted
   * failures stay.
   */
  replaceBy(other: Authenticator): void {
    this.#parts = other.#parts;
    this.#challenge = other.#challenge;
    this.#verified = new VerifiedLogins(this.#parts.now);
    this.#pending = new Map();
    this.onReplaced();
  }

  async #verify(text: string, key: string, address: string): Promise<Principal> {
    // A verification that is still running when the users are replaced is not cached.
    const verified = this.#verified;
    const pending = this.#pending;
    try {
      const { principal, validMs } = await this.#logIn(parseCredentials(text), address);
      verified.add(key, principal, validMs);
      return principal;
    } finally {
      pending.delete(key);
    }
  }

  async #logIn(credentials: Credentials, address: string): Promise<Verified> {
    switch (credentials.kind) {
      case 'unreadable':
        return this.#countFailure(address, 'the login cannot be read');
      case 'basic':
        return this.#logInUser(credentials, address);
      case 'bearer':
        return this.#logInBearer(credentials.token, address);
    }
  }

  /** Passwords can be guessed: beyond the limit they are refused without being verified. */
  async #logInUser({ password, user: name }: Basic, address: string): Promise<Verified> {
    const subjects = [address, `user ${name.slice(0, MAX_COUNTED_NAME)}`];
    this.#refuseBeyondLimit(subjects);
    if (this.#checks.queued >= MAX_QUEUED) throw overloaded();
    const uncount = this.#failures.begin(subjects);
    const user = this.#parts.users.get(name);
    const isCorrect = await this.#checks.run(() =>
      verifyPassword(password, user?.hash ?? this.#parts.dummyHash),
    );
    if (!isCorrect || user === undefined) throw loginFailed(this.#challenge);
    uncount();
    return { principal: user.principal, validMs: Number.POSITIVE_INFINITY };
  }

  /**
   * Keys and tokens cannot be guessed: a valid one passes regardless of failures from its address.
   */
  async #logInBearer(token: string, address: string): Promise<Verified> {
    const verified = isApiKey(token) ? this.#findApiKey(token) : await this.#verifyToken(token);
    return 'reason' in verified ? this.#countFailure(address, verified.reason) : verified;
  }

  #findApiKey(token: string): Verified | RefusedToken {
    const { apiKeys, wallClock } = this.#parts;
    const apiKey = apiKeys.find(token);
    if (apiKey === undefined) return { reason: 'no such API key' };
    const validMs = (apiKey.expiresMs ?? Number.POSITIVE_INFINITY) - wallClock();
    return validMs > 0
      ? { principal: apiKey.principal, validMs }
      : { reason: 'the API key has expired' };
  }

  async #verifyToken(token: string): Promise<Verified | RefusedToken> {
    const { tokens, wallClock } = this.#parts;
    if (tokens === undefined) return { reason: 'tokens are not set up' };
    const verified = await tokens.verify(token, wallClock());
    if ('reason' in verified) return verified;
    return {
      principal: { ...tokens.toPrincipal(verified), expiresMs: verified.expiresMs },
      validMs: verified.expiresMs - wallClock(),
    };
  }

  #countFailure(address: string, reason: string): never {
    this.#refuseBeyondLimit([address]);
    this.#failures.begin([address]);
    throw loginFailed(this.#challenge, reason);
  }

  #refuseBeyondLimit(subjects: readonly string[]): void {
    const waitMs = this.#failures.waitMs(subjects);
    if (waitMs > 0) throw tooManyFailures(Math.ceil(waitMs / 1000));
  }
}

/** The key under which failures are counted: a /64 network of IPv6 counts as one client. */
function addressOf(incoming: RequestHead): string {
  const address = incoming.socket.remoteAddress ?? '';
  const isIpv6 = address.includes(':') && !address.includes('.');
  return `address ${isIpv6 ? networkOf(address) : address}`;
}

/** Groups of 16 bits. */
const IPV6_GROUPS = 8;
const NETWORK_GROUPS = 4;

/** The first 64 bits: an IPv6 client can use any address below them. */
function networkOf(address: string): string {
  const [before = '', after] = address.split('::');
  const groups = before.split(':').filter((group) => group !== '');
  if (after !== undefined) {
    const lastGroups = after.split(':').filter((group) => group !== '');
    while (groups.length + lastGroups.length < IPV6_GROUPS) groups.push('0');
    groups.push(...lastGroups);
  }
  return groups.slice(0, NETWORK_GROUPS).join(':');
}

function challengeOf({ apiKeys, tokens, users }: AuthenticatorParts): string {
  const challenges: string[] = [];
  if (users.size > 0) challenges.push('Basic realm="gridkeep", charset="UTF-8"');
  if (apiKeys.size > 0 || tokens !== undefined) challenges.push('Bearer realm="gridkeep"');
  return challenges.join(', ');
}

/** Runs at most this many tasks at once; the others wait in order. */
class ConcurrencyLimit {
  #free: number;
  readonly #queue: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  get queued(): number {
    return this.#queue.length;
  }

  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#queue.push(resolve));
    try {
      return await task();
    } finally {
      const next = this.#queue.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }
}
