// Passwords are stored as scrypt hashes with their parameters:
//
//   scrypt$N=32768$r=8$p=3$<salt>$<hash>      (salt and hash in base64url)
//
// so that the cost can be raised later without changing stored hashes.

import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';

export interface PasswordHash {
  readonly cost: { readonly N: number; readonly r: number; readonly p: number };
  readonly salt: Buffer;
  readonly hash: Buffer;
}

/** 32 MiB and some 100 ms: affordable per login, expensive per guess. */
const DEFAULT_COST: PasswordHash['cost'] = { N: 2 ** 15, r: 8, p: 3 };
const SALT_BYTES = 16;
const HASH_BYTES = 32;
/** Upper bounds, so that a config file cannot make one login take seconds or all memory. */
const MAX_WORK = 2 ** 20 * 8;
const MAX_PARALLEL = 16;

const PATTERN = /^scrypt\$N=(\d{1,8})\$r=(\d{1,3})\$p=(\d{1,3})\$([\w-]{11,128})\$([\w-]{22,128})$/;

/** Undefined when the text is not such a hash. */
export function parsePasswordHash(text: string): PasswordHash | undefined {
  const [, N, r, p, salt = '', hash = ''] = PATTERN.exec(text) ?? [];
  const cost = { N: Number(N), r: Number(r), p: Number(p) };
  const isPowerOfTwo = cost.N > 1 && (cost.N & (cost.N - 1)) === 0;
  if (!isPowerOfTwo || cost.r < 1 || cost.p < 1) return undefined;
  if (cost.N * cost.r > MAX_WORK || cost.p > MAX_PARALLEL) return undefined;
  return { cost, salt: Buffer.from(salt, 'base64url'), hash: Buffer.from(hash, 'base64url') };
}

/** The text for the config file. */
export async function hashPassword(
  password: string,
  cost: PasswordHash['cost'] = DEFAULT_COST,
): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const hash = await derive(password, salt, HASH_BYTES, cost);
  const parameters = `N=${cost.N}$r=${cost.r}$p=${cost.p}`;
  return `scrypt$${parameters}$${salt.toString('base64url')}$${hash.toString('base64url')}`;
}

export async function verifyPassword(password: string, stored: PasswordHash): Promise<boolean> {
  const hash = await derive(password, stored.salt, stored.hash.length, stored.cost);
  return timingSafeEqual(hash, stored.hash) && isPassword(password);
}

/**
 * Whether the text can be a password. HMAC, within scrypt, fills short keys up with NUL: `pw` and
 * `pw` with a NUL after it have one hash. Bytes that are not UTF-8 all become U+FFFD: such passwords
 * would have one hash, too.
 */
export function isPassword(text: string): boolean {
  return !/[\0\uFFFD]/.test(text);
}

/**
 * The hash that an unknown user's password is verified against. It is as costly as the costliest
 * real one, so that response times do not reveal which users exist.
 */
export function createDummyHash(hashes: readonly PasswordHash[]): PasswordHash {
  const work = ({ cost }: PasswordHash): number => cost.N * cost.r * cost.p;
  const costliest = hashes.toSorted((a, b) => work(b) - work(a))[0];
  return {
    cost: costliest?.cost ?? DEFAULT_COST,
    salt: randomBytes(SALT_BYTES),
    hash: randomBytes(costliest?.hash.length ?? HASH_BYTES),
  };
}

function derive(
  password: string,
  salt: Buffer,
  length: number,
  cost: PasswordHash['cost'],
): Promise<Buffer> {
  // Node's own limit is just below what our default needs.
  const options: ScryptOptions = { ...cost, maxmem: 256 * cost.N * cost.r + 2 ** 20 };
  return new Promise((resolve, reject) => {
    // Composed and decomposed accents are the same password.
    scrypt(password.normalize('NFC'), salt, length, options, (error, key) => {
      if (error === null) resolve(key);
      else reject(error);
    });
  });
}
