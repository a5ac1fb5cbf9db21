// Percent-decoding as Geode does it: once by its servlet container, and for some parameters once
// more. A plus is a blank, and bytes that are no UTF-8 become U+FFFD.

import { refuse } from './geode-error.ts';

/** The value of a query parameter, decoded once. */
export function decodeParameter(raw: string): string {
  return decode(raw, () => '400: Unable to parse URI query');
}

/** Decodes a text a second time; the messages of failures are Java's. */
export function decodeAgain(text: string): string {
  return decode(text, (reason) => `URLDecoder: ${reason}`);
}

const HEX_DIGITS = /^[0-9a-f]*/i;

function decode(text: string, explain: (reason: string) => string): string {
  if (!text.includes('%')) return text.replaceAll('+', ' ');
  const bytes: Buffer[] = [];
  let at = 0;
  while (at < text.length) {
    const percent = text.indexOf('%', at);
    const end = percent < 0 ? text.length : percent;
    if (end > at) bytes.push(Buffer.from(text.slice(at, end).replaceAll('+', ' ')));
    if (percent < 0) break;
    const hex = text.slice(percent + 1, percent + 3);
    const reason = findBadEscape(hex);
    if (reason !== undefined) throw refuse('request/bad-encoding', 500, explain(reason));
    bytes.push(Buffer.from(hex, 'hex'));
    at = percent + 3;
  }
  return Buffer.concat(bytes).toString('utf8');
}

/** Undefined for two hexadecimal digits. */
function findBadEscape(hex: string): string | undefined {
  if (hex.length < 2) return 'Incomplete trailing escape (%) pattern';
  const digits = HEX_DIGITS.exec(hex)?.[0].length ?? 0;
  if (digits === 2) return undefined;
  return `Illegal hex characters in escape (%) pattern - Error at index ${digits} in: "${hex}"`;
}
