// The address under which a client reaches the service, for links in answers and the OpenAPI
// document. It is the address of the request, unless a setting names another or a trusted proxy
// forwards the one that its client used.

import { BlockList, isIP } from 'node:net';
import type { RequestHead } from './request-head.ts';

export interface PublicAddressOptions {
  /** `https://grid.example.com/grid`; empty: none is set. */
  readonly publicUrl: string;
  /** Addresses and networks (`10.0.0.0/8`) whose `X-Forwarded-…` headers are trusted. */
  readonly trustedProxies: readonly string[];
}

const HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;
const PREFIX = /^(?:\/[\w.~-]+)+$/;

export class PublicAddress {
  readonly #publicUrl: string | undefined;
  readonly #trusted: BlockList | undefined;

  constructor({ publicUrl, trustedProxies }: PublicAddressOptions) {
    this.#publicUrl = publicUrl === '' ? undefined : publicUrl.replace(/\/+$/, '');
    this.#trusted = trustedProxies.length === 0 ? undefined : toBlockList(trustedProxies);
  }

  /** Without a slash at the end; with the path below which the service is reached, if any. */
  of(incoming: RequestHead): string {
    if (this.#publicUrl !== undefined) return this.#publicUrl;
    const scheme = 'encrypted' in incoming.socket ? 'https' : 'http';
    const host = incoming.headers.host ?? 'localhost';
    if (this.#trusted === undefined || !isTrusted(this.#trusted, incoming)) {
      return `${scheme}://${host}`;
    }
    return forwardedAddress(incoming, scheme, host);
  }
}

/** A value that is not a scheme, host or path counts as absent. */
function forwardedAddress(incoming: RequestHead, scheme: string, host: string): string {
  const proto = firstValue(incoming, 'x-forwarded-proto')?.toLowerCase();
  const forwardedHost = firstValue(incoming, 'x-forwarded-host') ?? '';
  const prefix = (firstValue(incoming, 'x-forwarded-prefix') ?? '').replace(/\/+$/, '');
  const shownScheme = proto === 'http' || proto === 'https' ? proto : scheme;
  const shownHost = HOST.test(forwardedHost) ? forwardedHost : host;
  return `${shownScheme}://${shownHost}${PREFIX.test(prefix) ? prefix : ''}`;
}

/** Chained proxies append their values; the first is the one that the client used. */
function firstValue({ headers }: RequestHead, name: string): string | undefined {
  const value = headers[name];
  return (Array.isArray(value) ? value[0] : value)?.split(',')[0]?.trim();
}

function isTrusted(trusted: BlockList, { socket }: RequestHead): boolean {
  const address = socket.remoteAddress ?? '';
  const family = isIP(address);
  return family !== 0 && trusted.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

function toBlockList(addresses: readonly string[]): BlockList {
  const list = new BlockList();
  for (const text of addresses) {
    const [address = '', bits] = text.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
}

/** The reason why a proxy address is invalid; undefined when it is valid. */
export function refuseProxy(text: string): string | undefined {
  const [address = '', bits, ...others] = text.split('/');
  const family = isIP(address);
  const maxBits = family === 6 ? 128 : 32;
  const isValid =
    others.length === 0 &&
    family !== 0 &&
    (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= maxBits));
  return isValid
    ? undefined
    : `http.trusted-proxies: ${text} is no address or network such as 10.0.0.0/8`;
}

/** The reason why an address that clients use is invalid; undefined when it is valid. */
export function refusePublicUrl(
  text: string,
  setting: 'http.public-url' | 'http.advertise',
): string | undefined {
  const url = URL.parse(text);
  const isValid =
    url !== null &&
    ['http:', 'https:'].includes(url.protocol) &&
    url.search === '' &&
    url.hash === '' &&
    url.username === '' &&
    (url.pathname === '/' || PREFIX.test(url.pathname.replace(/\/+$/, '')));
  if (isValid) return undefined;
  // A password is not shown.
  const shown = text.includes('@') ? 'a text with @' : text;
  return `${setting}: ${shown} is no address such as https://grid.example.com/grid`;
}
