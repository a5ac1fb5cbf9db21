// Node's server, plain or with TLS; above this file the two are the same.

import { createServer, type Server, type ServerOptions } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { SecureContextOptions } from 'node:tls';

/** PEM texts: the certificate with its chain, and its private key, which may be encrypted. */
export interface TlsMaterial {
  readonly certificate: string;
  readonly key: string;
  readonly passphrase?: string;
}

/** The limits that Node itself enforces. */
export interface ConnectionLimits {
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  /** How often Node checks the two time-outs above. */
  readonly timeoutCheckMs: number;
  readonly keepAliveTimeoutMs: number;
  readonly maxConnections: number;
  readonly maxHeaderBytes: number;
  readonly maxUrlBytes: number;
}

export interface NodeServer {
  readonly server: Server;
  readonly scheme: 'http' | 'https';
  /** New connections get the new certificate; throws, and keeps the old, when it is unusable. */
  replaceTls(material: TlsMaterial): void;
}

/** For TLS 1.2, ciphers with forward secrecy and authentication alone; TLS 1.3 has no others. */
const TLS_1_2_CIPHERS = [
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
];
const TLS_1_3_CIPHERS = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
];

export function createNodeServer(
  limits: ConnectionLimits,
  tls: TlsMaterial | undefined,
): NodeServer {
  const options: ServerOptions = {
    // URL and headers have their own limits; the parser's limit must only be no tighter.
    maxHeaderSize: limits.maxHeaderBytes + limits.maxUrlBytes,
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    connectionsCheckingInterval: limits.timeoutCheckMs,
    // Node would send its own answer, without a body. host-check.ts checks the header instead.
    requireHostHeader: false,
    noDelay: true,
  };
  const node = createPlainOrTls(options, tls);
  node.server.maxConnections = limits.maxConnections;
  // Node drops headers beyond its own count silently; head-limits.ts counts instead.
  node.server.maxHeadersCount = 0;
  return node;
}

function createPlainOrTls(options: ServerOptions, tls: TlsMaterial | undefined): NodeServer {
  if (tls === undefined) {
    return { server: createServer(options), scheme: 'http', replaceTls: () => undefined };
  }
  const server = createTlsServer({
    ...options,
    ...toSecureContext(tls),
    ALPNProtocols: ['http/1.1'],
    // A handshake is part of the request's head and may take no longer.
    handshakeTimeout: options.headersTimeout ?? 10_000,
  });
  return {
    // Node gives https.Server every member of http.Server; only its types do not say so.
    server: server as unknown as Server,
    scheme: 'https',
    replaceTls: (material) => server.setSecureContext(toSecureContext(material)),
  };
}

function toSecureContext({ certificate, key, passphrase }: TlsMaterial): SecureContextOptions {
  return {
    cert: certificate,
    key,
    ...(passphrase === undefined ? {} : { passphrase }),
    minVersion: 'TLSv1.2',
    ciphers: [...TLS_1_3_CIPHERS, ...TLS_1_2_CIPHERS].join(':'),
    honorCipherOrder: true,
  };
}
