// The text of a part of a query, as EXPLAIN shows it.

import { readToken } from '../syntax/lexer.ts';
import type { Span } from '../syntax/position.ts';
import type { Token } from '../syntax/token.ts';

/**
 * The text on one line. A span begins with the first operand, inside of the parentheses around it,
 * and ends outside of those around the last one: `a OR b) AND (c` becomes `(a OR b) AND (c)`.
 */
export function partText(text: string, span: Span): string {
  const missing = missingOpenings(text, span);
  const before = new RegExp(`(?:\\(\\s*){${missing}}$`).exec(text.slice(0, span.start));
  const start = span.start - (before?.[0].length ?? 0);
  return text.slice(start, span.end).replace(/\s+/g, ' ');
}

/** Parentheses that are closed in a part of the text and opened before it. */
function missingOpenings(text: string, { start, end }: Span): number {
  let depth = 0;
  let lowest = 0;
  let token: Token = { kind: 'symbol', text: '(', start, end: start };
  for (;;) {
    token = readToken(text, token);
    if (token.kind === 'end' || token.end > end) return -lowest;
    if (token.kind !== 'symbol') continue;
    if (token.text === '(') depth += 1;
    else if (token.text === ')') depth -= 1;
    lowest = Math.min(lowest, depth);
  }
}
