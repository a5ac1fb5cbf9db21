// Describes for an operator why a host refused a connection.

import { sqlState } from './postgres-errors.ts';

const UNTRUSTED =
  /^(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_GET_ISSUER_CERT.*|UNABLE_TO_VERIFY_LEAF_SIGNATURE)$/;

export interface ConnectionRefusal {
  readonly reason: string;
  /** Whether retrying is useless: certificate, login or database are wrong. */
  readonly isFinal: boolean;
}

/** Thrown for a new connection whose session was used before: settings and statements would mix. */
export class SharedSession extends Error {
  constructor() {
    super(
      'a pooler hands out its connections by transaction; connect directly, or set it to sessions',
    );
  }
}

export function describeRefusal(error: unknown, host: string): ConnectionRefusal {
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const about = describeTls(code, message, host);
  if (about !== undefined) return { reason: about, isFinal: true };
  // The driver's message when it has no credentials.
  if (/^SASL.*client password must be/.test(message)) {
    return {
      reason: 'it asks for a password, and none is given (store.password-file, store.password)',
      isFinal: true,
    };
  }
  if (error instanceof SharedSession) return { reason: message, isFinal: true };
  // Login refused, no such database, no such file.
  const isFinal = /^(?:28|3D)/.test(sqlState(error)) || message.startsWith('sslrootcert');
  return { reason: message === '' ? code : message, isFinal };
}

function describeTls(code: string, message: string, host: string): string | undefined {
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return `its certificate is for other names than ${host}`;
  }
  if (UNTRUSTED.test(code)) {
    return 'its certificate is signed by an authority that is not trusted; sslrootcert names a file of trusted ones';
  }
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID') {
    return 'its certificate is not valid at this time';
  }
  if (message === 'The server does not support SSL connections') {
    return 'it does not accept TLS connections; sslmode=disable connects without TLS';
  }
  return undefined;
}
