// Cache of recently verified logins: most requests need no scrypt and no signature check. Entries
// are keyed by a hash with a key of this process, so no password or token is stored.

import { hash, randomBytes } from 'node:crypto';
import type { Principal } from './principal.ts';

const KEPT_MS = 60_000;
const MAX_KEPT = 1_000;

export class VerifiedLogins {
  readonly #key = randomBytes(32).toString('hex');
  /** Monotonic milliseconds. */
  readonly #now: () => number;
  readonly #kept = new Map<string, { readonly principal: Principal; readonly untilMs: number }>();

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
    const kept = this.#kept.get(key);
    if (kept === undefined) return undefined;
    if (kept.untilMs > this.#now()) return kept.principal;
    this.#kept.delete(key);
    return undefined;
  }

  /** Never longer than the login itself is valid. */
  keep(key: string, principal: Principal, validMs: number): void {
    const [oldest] = this.#kept.keys();
    if (this.#kept.size >= MAX_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    this.#kept.set(key, { principal, untilMs: this.#now() + Math.min(KEPT_MS, validMs) });
  }
}
