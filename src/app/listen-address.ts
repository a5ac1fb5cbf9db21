// The address that the service listens on: whether others can reach it, and its URL.

import { isIPv4 } from 'node:net';

export function isLoopback(host: string): boolean {
  const bare = bareHost(host).toLowerCase();
  if (isIPv4(bare)) return bare.startsWith('127.');
  return bare === 'localhost' || bare === '::1';
}

/** `[::1]`, as in a URL, is the address `::1`. */
export function bareHost(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1');
}

/** `http://host:port`, with the brackets that an IPv6 address needs. */
export function printUrl(scheme: 'http' | 'https', host: string, port: number): string {
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
