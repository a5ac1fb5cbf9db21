// Builds access control from the settings: the authenticator, the TLS certificate and the allowed
// origins.

import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { createSecureContext } from 'node:tls';
import type { AuthSettings } from '../config/auth-settings.ts';
import type { Config } from '../config/config.ts';
import {
  type Authenticator,
  buildAuthenticator,
  refuseHost,
  refuseProxy,
  refusePublicUrl,
  type TlsMaterial,
} from '../http/index.ts';
import {
  authRefused,
  insecureAddress,
  originRefused,
  proxyRefused,
  StartError,
  tlsUnusable,
} from './errors.ts';
import { isLoopback } from './listen-address.ts';

/** Each is absent if the settings have none. */
export interface Safeguards {
  readonly authenticator: Authenticator | undefined;
  readonly tls: TlsMaterial | undefined;
}

/** Throws `StartError`; without authentication also for an address that others can reach. */
export async function openSafeguards(
  config: Config,
  auth: AuthSettings | undefined,
): Promise<Safeguards> {
  const { corsOrigins, host, insecure } = config.http;
  if (!insecure && !isLoopback(host) && auth === undefined) throw insecureAddress(host);
  checkOrigins(corsOrigins);
  checkProxies(config.http);
  return { authenticator: await openAuthenticator(auth), tls: await readTls(config) };
}

function checkProxies(http: Config['http']): void {
  const { advertise, allowedHosts, publicUrl, trustedProxies } = http;
  const reason = [
    publicUrl === '' ? undefined : refusePublicUrl(publicUrl, 'http.public-url'),
    ...advertise.map((address) => refusePublicUrl(address, 'http.advertise')),
    ...allowedHosts.map(refuseHost),
    ...trustedProxies.map(refuseProxy),
  ].find((refused) => refused !== undefined);
  if (reason !== undefined) throw proxyRefused(reason);
}

/** Undefined if nothing is declared: authentication is off. */
export async function openAuthenticator(
  declared: AuthSettings | undefined,
): Promise<Authenticator | undefined> {
  if (declared === undefined) return undefined;
  const outcome = await buildAuthenticator(declared, {
    readFile: (path) => readFile(resolve(path), 'utf8'),
    now: () => performance.now(),
    wallClock: Date.now,
  });
  if (outcome.kind === 'refused') throw authRefused(outcome.problems);
  return outcome.authenticator;
}

/**
 * Replaces the logins by those declared now. Throws, and changes nothing, when they are invalid or
 * there are none: authentication cannot be switched on or off while running.
 */
export async function replaceLogins(
  authenticator: Authenticator,
  declared: AuthSettings | undefined,
): Promise<void> {
  const other = await openAuthenticator(declared);
  if (other === undefined) {
    throw authRefused(['auth is gone from the config file: only a restart switches it off']);
  }
  authenticator.replaceBy(other);
}

/** Undefined if no certificate is set: plain HTTP. */
export async function readTls({ tls }: Config): Promise<TlsMaterial | undefined> {
  const { certificateFile, keyFile, keyPassphrase } = tls;
  if (certificateFile === '' && keyFile === '') return undefined;
  if (certificateFile === '' || keyFile === '') {
    throw tlsUnusable('tls.certificate-file and tls.key-file need each other');
  }
  try {
    const certificate = await readPem(certificateFile);
    const key = await readPem(keyFile);
    // Checked here, not at the first handshake.
    const passphrase = keyPassphrase === '' ? {} : { passphrase: keyPassphrase };
    createSecureContext({ cert: certificate, key, ...passphrase });
    return { certificate, key, ...passphrase };
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw tlsUnusable(explain(error, `${certificateFile} and ${keyFile}`), error);
  }
}

/**
 * OpenSSL takes an empty text for none: the service would then fail every handshake. A program that
 * renews a certificate may empty the file first.
 */
async function readPem(file: string): Promise<string> {
  const text = await readFile(resolve(file), 'utf8');
  if (text.trim() === '') throw tlsUnusable(`${file} is empty`);
  return text;
}

/** Each must be a complete origin; `*` would let every website write here. */
export function checkOrigins(origins: readonly string[]): void {
  for (const origin of origins) {
    const url = URL.parse(origin);
    if (url === null || !/^https?:$/.test(url.protocol) || url.origin !== origin.toLowerCase()) {
      throw originRefused(origin);
    }
  }
}

/** OpenSSL's errors for an encrypted key without a passphrase, and with a wrong one. */
const PASSPHRASE_CODES: ReadonlySet<string> = new Set([
  'ERR_MISSING_PASSPHRASE',
  'ERR_OSSL_BAD_DECRYPT',
  'ERR_OSSL_EVP_BAD_DECRYPT',
]);

/** OpenSSL's messages need an expert; for a missing file there is a plain one. */
function explain(error: unknown, files: string): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const path = error instanceof Error && 'path' in error ? String(error.path) : files;
  if (code === 'ENOENT') return `${path} does not exist`;
  if (PASSPHRASE_CODES.has(code)) return `${files} need the right tls.key-passphrase`;
  if (code === 'ERR_OSSL_X509_KEY_VALUES_MISMATCH') return `${files} do not belong together`;
  return code === '' ? `${files} cannot be used` : `${path} cannot be used (${code})`;
}
