// Reads how many written bytes still wait in the kernel's send queues. The kernel buffers megabytes
// for a slow client and reports room only when a third of that is free. So a socket can seem
// stalled for minutes while its client reads. Linux shows the queues in /proc/net/tcp, one line for
// each socket:
//
//   sl  local_address  rem_address    st  tx_queue:rx_queue …
//    3: 0100007F:1B9E  0100007F:C350  01  0000A000:00000000 …
//
// Other systems do not show them.

import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { endianness } from 'node:os';

/** Bytes of each socket's send queue. A socket that is not listed has none. */
export type SendQueues = ReadonlyMap<string, number>;

const FILES = ['/proc/net/tcp', '/proc/net/tcp6'];
const IPV6_BYTES = 16;
const LINE = /^ *\d+: ([\dA-F]+:[\dA-F]{4}) ([\dA-F]+:[\dA-F]{4}) [\dA-F]{2} ([\dA-F]{8}):/gm;

/** Undefined where the system does not show them. */
export async function readSendQueues(): Promise<SendQueues | undefined> {
  if (endianness() !== 'LE') return undefined;
  const texts = await Promise.all(FILES.map((file) => readFile(file, 'latin1').catch(() => '')));
  if (texts.every((text) => text === '')) return undefined;
  const queues = new Map<string, number>();
  for (const text of texts) {
    for (const [, local = '', remote = '', queued = ''] of text.matchAll(LINE)) {
      if (queued !== '00000000') queues.set(`${local} ${remote}`, Number.parseInt(queued, 16));
    }
  }
  return queues;
}

/** The socket's name in the queues; undefined when it is not connected any more. */
export function queueName(socket: Socket): string | undefined {
  const { localAddress, localPort, remoteAddress, remotePort } = socket;
  if (localAddress === undefined || remoteAddress === undefined) return undefined;
  return `${printEnd(localAddress, localPort)} ${printEnd(remoteAddress, remotePort)}`;
}

function printEnd(address: string, port = 0): string {
  const bytes = address.includes(':') ? parseIpv6(address) : parseIpv4(address);
  let text = '';
  // In words of four bytes, each printed as a number of this machine.
  for (let word = 0; word < bytes.length; word += 4) {
    for (let i = word + 3; i >= word; i -= 1) text += printHex(bytes[i] ?? 0, 2);
  }
  return `${text}:${printHex(port, 4)}`;
}

function printHex(value: number, digits: number): string {
  return value.toString(16).toUpperCase().padStart(digits, '0');
}

function parseIpv4(address: string): number[] {
  return address.split('.').map(Number);
}

/** The bytes of an address such as `fe80::1%eth0` or `::ffff:127.0.0.1`. */
function parseIpv6(address: string): number[] {
  const [withoutZone = ''] = address.split('%');
  const lastColon = withoutZone.lastIndexOf(':');
  const last = withoutZone.slice(lastColon + 1);
  const ipv4Bytes = last.includes('.') ? parseIpv4(last) : [];
  const groups =
    ipv4Bytes.length > 0
      ? withoutZone.slice(0, lastColon + 1).replace(/([^:]):$/, '$1')
      : withoutZone;
  const [before = '', after] = groups.split('::');
  const start = parseGroups(before);
  const end = [...parseGroups(after ?? ''), ...ipv4Bytes];
  const zeros = after === undefined ? 0 : IPV6_BYTES - start.length - end.length;
  return [...start, ...Array.from({ length: zeros }, () => 0), ...end];
}

function parseGroups(text: string): number[] {
  if (text === '') return [];
  return text.split(':').flatMap((group) => {
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 0xff];
  });
}
