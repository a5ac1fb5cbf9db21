// API keys: 256 random bits after a prefix that scanners for leaked secrets can look for. Only
// their SHA-256 is stored: 256 random bits cannot be guessed, so no slow hash is needed.

import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Principal } from './principal.ts';

const PREFIX = 'gridkeep_';
const KEY_BYTES = 32;
/** Of a digest: keys are found by them, and then compared in constant time. */
const START_BYTES = 4;
const STORED = /^sha256:([0-9a-f]{64})$/;

export interface ApiKey {
  readonly digest: Buffer;
  /** Milliseconds since 1970, or undefined for never. */
  readonly expiresMs: number | undefined;
  readonly principal: Principal;
}

/** The key, which is shown once, and its hash for the config file. */
export function createApiKey(): { readonly key: string; readonly hash: string } {
  const key = PREFIX + randomBytes(KEY_BYTES).toString('base64url');
  return { key, hash: `sha256:${digestOf(key).toString('hex')}` };
}

/** Undefined when the text is not such a hash. */
export function parseApiKeyHash(text: string): Buffer | undefined {
  const digits = STORED.exec(text)?.[1];
  return digits === undefined ? undefined : Buffer.from(digits, 'hex');
}

export function isApiKey(token: string): boolean {
  return token.startsWith(PREFIX);
}

/** The keys of a service, found by their digest. */
export class ApiKeys {
  readonly #byStart = new Map<string, ApiKey[]>();

  constructor(keys: readonly ApiKey[]) {
    for (const key of keys) {
      const start = startOf(key.digest);
      this.#byStart.set(start, [...(this.#byStart.get(start) ?? []), key]);
    }
  }

  get size(): number {
    return this.#byStart.size;
  }

  /** Undefined when the key is unknown. The caller checks expiry. */
  find(token: string): ApiKey | undefined {
    const digest = digestOf(token);
    // Timing of this look-up reveals at most the first bytes of a digest, which do not help to find
    // a key.
    const candidates = this.#byStart.get(startOf(digest)) ?? [];
    return candidates.find((key) => timingSafeEqual(key.digest, digest));
  }
}

function digestOf(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}

function startOf(digest: Buffer): string {
  return digest.toString('hex', 0, START_BYTES);
}
