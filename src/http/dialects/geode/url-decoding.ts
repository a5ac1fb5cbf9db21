// Percent-decoding as Geode does it: once by its servlet container, and for some parameters once
// more. A plus is a blank, and bytes that are no UTF-8 become U+FFFD.

import { refuse } from './refusal.ts';

/** The value of a query parameter, decoded once. */
export function decodeParameter(raw: string): string {
  const decoded = decode(raw);
  if (decoded instanceof BadEscape) {
    throw refuse('request/bad-encoding', 500, '400: Unable to parse URI query');
  }
  return decoded;
}

/** Decodes a text a second time; the messages of failures are Java's. */
export function decodeAgain(text: string): string {
  const decoded = decode(text);
  if (decoded instanceof BadEscape) {
    throw refuse('request/bad-encoding', 500, `URLDecoder: ${decoded.reason}`);
  }
  return decoded;
}

class BadEscape {
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }
}

const HEX_DIGITS = /^[0-9a-f]*/i;

function decode(text: string): string | BadEscape {
  if (!text.includes('%')) return text.replaceAll('+', ' ');
  const bytes: Buffer[] = [];
  let at = 0;
  while (at < text.length) {
    const percent = text.indexOf('%', at);
    const end = percent < 0 ? text.length : percent;
    if (end > at) bytes.push(Buffer.from(text.slice(at, end).replaceAll('+', ' ')));
    if (percent < 0) break;
    const byte = escapedByte(text.slice(percent + 1, percent + 3));
    if (byte instanceof BadEscape) return byte;
    bytes.push(byte);
    at = percent + 3;
  }
  return Buffer.concat(bytes).toString('utf8');
}

function escapedByte(hex: string): Buffer | BadEscape {
  if (hex.length < 2) return new BadEscape('Incomplete trailing escape (%) pattern');
  const good = HEX_DIGITS.exec(hex)?.[0].length ?? 0;
  if (good === 2) return Buffer.from(hex, 'hex');
  return new BadEscape(
    `Illegal hex characters in escape (%) pattern - Error at index ${good} in: "${hex}"`,
  );
}
