// The address of a store: `postgres://user@host1:5432,host2/database?sslmode=…&schema=…`. Several
// hosts are copies of one store, one of which is the primary.

import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';

export interface StoreAddress {
  readonly hosts: readonly { readonly host: string; readonly port: number }[];
  readonly user: string;
  readonly database: string;
  /** Schema that holds the tables. */
  readonly schema: string;
  readonly sslMode: SslMode;
  /** File with the certificates to trust; absent: those the system trusts. */
  readonly rootCertificate: string | undefined;
}

const SSL_MODES = ['disable', 'require', 'verify-ca', 'verify-full'] as const;
export type SslMode = (typeof SSL_MODES)[number];

const DEFAULT_PORT = 5432;
const DEFAULT_NAME = 'gridkeep';
const PARAMETERS = ['sslmode', 'sslrootcert', 'schema'];
const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|::1|\/.*)$/;

/** Throws a `TypeError` whose message states the problem; it never repeats the address. */
export function parseStoreUrl(text: string): StoreAddress {
  const found =
    /^postgres(?:ql)?:\/\/(?:([^/?#@]*)@)?([^/?#@]+)(?:\/([^/?#]*))?(?:\?([^#]*))?$/.exec(text);
  if (found === null) {
    throw new TypeError('it must look like postgres://user@host1,host2/database');
  }
  const [, userInfo = '', hostList = '', database = '', query = ''] = found;
  if (userInfo.includes(':')) throw new TypeError('it must not hold a password');
  const parameters = new URLSearchParams(query);
  for (const name of parameters.keys()) {
    if (!PARAMETERS.includes(name)) {
      throw new TypeError(`parameter ${name} is not one of ${PARAMETERS.join(', ')}`);
    }
  }
  const hosts = hostList.split(',').map(parseHost);
  const schema = parameters.get('schema') ?? DEFAULT_NAME;
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema)) {
    throw new TypeError('schema may have lowercase letters, digits and _ only');
  }
  return {
    hosts,
    user: decodeURIComponent(userInfo) || DEFAULT_NAME,
    database: decodeURIComponent(database) || DEFAULT_NAME,
    schema,
    sslMode: parseSslMode(parameters.get('sslmode'), hosts),
    rootCertificate: parameters.get('sslrootcert') ?? undefined,
  };
}

function parseHost(text: string): { readonly host: string; readonly port: number } {
  const found = /^(?:\[([^\]]+)\]|([^:[\]]+))(?::(\d+))?$/.exec(decodeURIComponent(text));
  const [, address, name, port] = found ?? [];
  const host = address ?? name;
  if (host === undefined) throw new TypeError(`(${text}) is not a host`);
  return { host, port: port === undefined ? DEFAULT_PORT : Number(port) };
}

/** By default only connections within this machine use no TLS. */
function parseSslMode(text: string | null, hosts: StoreAddress['hosts']): SslMode {
  if (text === null) {
    return hosts.every(({ host }) => LOOPBACK.test(host)) ? 'disable' : 'verify-full';
  }
  const mode = SSL_MODES.find((each) => each === text);
  if (mode === undefined) throw new TypeError(`sslmode must be one of ${SSL_MODES.join(', ')}`);
  return mode;
}

/** False without TLS. The driver adds the name of the host, which `verify-full` compares. */
export function tlsOptions({ rootCertificate, sslMode }: StoreAddress): ConnectionOptions | false {
  if (sslMode === 'disable') return false;
  return {
    ...(rootCertificate === undefined ? {} : { ca: readRootCertificate(rootCertificate) }),
    rejectUnauthorized: sslMode !== 'require',
    ...(sslMode === 'verify-full' ? {} : { checkServerIdentity: () => undefined }),
  };
}

function readRootCertificate(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new Error(`sslrootcert cannot be read (${Object(error).code})`, { cause: error });
  }
}

/** Hosts and database alone, for messages. */
export function printAddress({ database, hosts }: StoreAddress): string {
  return `${hosts.map(({ host, port }) => `${host}:${port}`).join(',')}/${database}`;
}
