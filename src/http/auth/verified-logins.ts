// Cache of recently verified logins: most requests need no scrypt and no signature check. Entries
// are keyed by a hash with a key of this process, so no password or token is stored.

import { hash, randomBytes } from 'node:crypto';
import type { Principal } from './principal.ts';

const CACHED_MS = 60_000;
const MAX_CACHED = 1_000;

export class VerifiedLogins {
  readonly #key = randomBytes(32).toString('hex');
  /** Monotonic milliseconds. */
  readonly #now: () => number;
  readonly #cached = new Map<string, { readonly principal: Principal; readonly untilMs: number }>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * The cache key of a credential. It never leaves the process, so the plain hash of key and
   * credential serves as well as an HMAC, at a tenth of its cost.
   */
  keyOf(credential: string): string {
    return hash('sha256', this.#key + credential, 'base64');
  }

  find(key: string): Principal | undefined {
    const cached = this.#cached.get(key);
    if (cached === undefined) return undefined;
    if (cached.untilMs > this.#now()) return cached.principal;
    this.#cached.delete(key);
    return undefined;
  }

  /** Caches a login, never for longer than it is valid. */
  add(key: string, principal: Principal, validMs: number): void {
    const [oldest] = this.#cached.keys();
    if (this.#cached.size >= MAX_CACHED && oldest !== undefined) this.#cached.delete(oldest);
    this.#cached.set(key, { principal, untilMs: this.#now() + Math.min(CACHED_MS, validMs) });
  }
}
