// Prevents DNS rebinding: the page of another site can make its own name resolve to our address,
// and the browser then treats us as that site. `Host` still has that name, so only known names are
// served.

import { isIP } from 'node:net';
import { malformed, wrongHost } from '../errors.ts';
import type { RequestHead } from '../request/request-head.ts';

export interface HostNames {
  /** The address listened on. */
  readonly bound: string;
  readonly port: number;
  readonly scheme: 'http' | 'https';
  /** `name:port`, or `name` for the scheme's own port; `*` accepts every name. */
  readonly allowed: readonly string[];
  /** Addresses shown in the server list, `http://name:port`. */
  readonly advertised: readonly string[];
}

/** No site can have such a name. Any port is accepted, because forwarding changes it. */
const LOOPBACK = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/;
/** A name or address, and the port if clients write it. */
const HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;
/** Accepted values are cached, so that a client's next request costs one look-up. */
const MAX_CACHED = 256;

export class HostCheck {
  readonly #names: HostNames;
  readonly #isAnyAllowed: boolean;
  readonly #accepted: Set<string>;
  readonly #ownNames: number;

  constructor(names: HostNames) {
    this.#names = names;
    this.#isAnyAllowed = names.allowed.includes('*');
    this.#accepted = new Set([
      ...this.#withPort(toHostName(names.bound)),
      ...names.allowed.map((name) => name.toLowerCase()),
      ...names.advertised.flatMap((address) => URL.parse(address)?.host.toLowerCase() ?? []),
    ]);
    this.#ownNames = this.#accepted.size;
  }

  /** Throws `request/wrong-host`, or `request/malformed` when there is no host at all. */
  check(incoming: RequestHead): void {
    const host = incoming.headers.host;
    if (host === undefined || host === '') throw malformed('A request needs a Host header');
    if (!this.#accepted.has(host)) this.#checkName(host, incoming);
    // An absolute target has a host too, which takes precedence over the header.
    const target = incoming.url ?? '';
    if (target.charCodeAt(0) === 0x2f) return;
    const authority = /^https?:\/\/([^/?#]*)/i.exec(target)?.[1];
    if (authority !== undefined && !this.#accepted.has(authority))
      this.#checkName(authority, incoming);
  }

  #checkName(host: string, incoming: RequestHead): void {
    if (this.#isAnyAllowed) return;
    const name = host.toLowerCase();
    // The local address of the connection is always ours.
    const localNames = this.#withPort(toHostName(incoming.socket.localAddress ?? ''));
    const isOurs = LOOPBACK.test(name) || this.#accepted.has(name) || localNames.includes(name);
    if (!isOurs) throw wrongHost(host);
    if (this.#accepted.size < this.#ownNames + MAX_CACHED) this.#accepted.add(host);
  }

  /** Most clients omit the default port of the scheme. */
  #withPort(name: string): readonly string[] {
    const { port, scheme } = this.#names;
    const isDefaultPort = port === (scheme === 'https' ? 443 : 80);
    return isDefaultPort ? [name, `${name}:${port}`] : [`${name}:${port}`];
  }
}

/** The reason why a further host name is invalid, for example an address with its scheme. */
export function refuseHost(name: string): string | undefined {
  if (name === '*' || HOST.test(name)) return undefined;
  return `http.allowed-hosts: ${name} is no host such as grid.example.com or grid.example.com:7443`;
}

/** `::1` is written `[::1]` in a Host; an IPv4 address that came in over IPv6 is plain again. */
function toHostName(address: string): string {
  const plain = address.toLowerCase().replace(/^::ffff:(?=\d+\.)/, '');
  return isIP(plain) === 6 ? `[${plain}]` : plain;
}
