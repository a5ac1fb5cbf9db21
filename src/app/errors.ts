// Errors of starting the service. Messages are complete sentences for the operator, without a stack
// trace.

import type { EngineError } from '../engine/errors.ts';

export type StartErrorCode =
  | 'start/insecure-address'
  | 'start/auth-refused'
  | 'start/proxy-refused'
  | 'start/origin-refused'
  | 'start/tls-unusable'
  | 'start/address-in-use'
  | 'start/address-unusable'
  | 'start/directory-unusable'
  | 'start/store-unusable'
  | 'start/store-url-refused'
  | 'start/declaration-refused'
  | 'start/bad-fault';

export class StartError extends Error {
  readonly code: StartErrorCode;
  /** The invalid setting or declaration, if it is one. */
  readonly path: string | undefined;

  constructor(
    code: StartErrorCode,
    message: string,
    options: ErrorOptions & { readonly path?: string } = {},
  ) {
    super(message, options);
    this.name = 'StartError';
    this.code = code;
    this.path = options.path;
  }
}

/** Thrown when other machines could reach the service without authentication. */
export function insecureAddress(host: string): StartError {
  return new StartError(
    'start/insecure-address',
    `listening on ${host} would let others in without authentication; declare users under auth in the config file, add --insecure to allow it, or use 127.0.0.1`,
    { path: 'http.host' },
  );
}

/** Thrown when users, roles, API keys or tokens are declared wrongly; lists all problems. */
export function authRefused(problems: readonly string[]): StartError {
  return new StartError('start/auth-refused', problems.join('; '));
}

/** Thrown when an allowed origin is not a complete origin. */
export function originRefused(origin: string): StartError {
  return new StartError(
    'start/origin-refused',
    `http.cors-origins: ${origin} is not an origin such as https://app.example.com`,
    { path: 'http.cors-origins' },
  );
}

/** Thrown when `http.public-url`, a further host or a trusted proxy is not a valid address. */
export function proxyRefused(reason: string): StartError {
  return new StartError('start/proxy-refused', reason);
}

/** Thrown when certificate or key cannot be read, or do not belong together. */
export function tlsUnusable(reason: string, cause?: unknown): StartError {
  return new StartError('start/tls-unusable', reason, { cause, path: 'tls.certificate-file' });
}

/** Thrown when another program listens on the port. */
export function addressInUse(host: string, port: number, cause: unknown): StartError {
  return new StartError(
    'start/address-in-use',
    `port ${port} on ${host} is already in use; choose another with --port`,
    { cause },
  );
}

/** Thrown when the system refuses the address for any other reason. */
export function addressUnusable(
  host: string,
  port: number,
  reason: string,
  cause: unknown,
): StartError {
  return new StartError(
    'start/address-unusable',
    `cannot listen on ${host} port ${port} (${reason})`,
    { cause },
  );
}

/** Thrown when the data directory cannot be made, entered or written. */
export function directoryUnusable(directory: string, reason: string, cause: unknown): StartError {
  return new StartError(
    'start/directory-unusable',
    `the data directory ${directory} cannot be used: ${reason}`,
    { cause },
  );
}

/** Thrown when the engine refuses the store: locked, damaged, newer; its message names the file. */
export function storeUnusable(cause: EngineError): StartError {
  const { cause: ofSystem, code, message: what } = cause;
  // Only the system states why the disk failed.
  const isExplained = code === 'engine/store-failed' && ofSystem instanceof Error;
  const reason = isExplained ? `${what}: ${ofSystem.message}` : what;
  // A check of the file may report several lines.
  const message = reason.replaceAll(/\s*\n\s*/g, '; ');
  return new StartError('start/store-unusable', message, { cause });
}

/** Thrown when the address of a database, or the file with its password, cannot be used. */
export function storeUrlRefused(reason: string, cause: unknown): StartError {
  return new StartError('start/store-url-refused', `store.url: ${reason}`, { cause });
}

/** Thrown when a declared region, index or query is not legal. */
export function declarationRefused(what: string, path: string, cause: Error): StartError {
  return new StartError('start/declaration-refused', `cannot create ${what}: ${cause.message}`, {
    cause,
    path,
  });
}

/** Thrown when `testing.fault` is unknown. */
export function badFault(text: string): StartError {
  return new StartError('start/bad-fault', `${text} is not a fault that testing.fault knows`, {
    path: 'testing.fault',
  });
}
