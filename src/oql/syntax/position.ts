// Positions in a query text. Offsets count UTF-16 code units from 0; lines and columns count from
// 1, as editors show them.

/** The part of the text a node was read from: `start` is inside, `end` is just after it. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface Position {
  readonly offset: number;
  readonly line: number;
  readonly column: number;
}

/** The span from the beginning of one part to the end of another. */
export function spanOf(first: Span, last: Span): Span {
  return { start: first.start, end: last.end };
}

/** Found by a pattern: the first text of a process runs in V8's interpreter, where loops are slow. */
const LINE_END = /\r\n?|\n/g;

/** Line and column of an offset. CR, LF and CR LF each end a line. */
export function positionAt(text: string, offset: number): Position {
  let line = 1;
  let lineStart = 0;
  LINE_END.lastIndex = 0;
  while (LINE_END.test(text) && LINE_END.lastIndex <= offset) {
    line++;
    lineStart = LINE_END.lastIndex;
  }
  return { offset, line, column: offset - lineStart + 1 };
}

const EXCERPT_BEFORE = 60;
const EXCERPT_AFTER = 60;

/**
 * The line of the position, with a caret under it:
 *
 *     SELECT * FORM /orders
 *              ^
 *
 * Long lines are cut around the caret, so that an error about a 64 KiB text stays readable.
 */
export function excerptAt(text: string, position: Position): string {
  const lineStart = position.offset - (position.column - 1);
  const start = Math.max(lineStart, position.offset - EXCERPT_BEFORE);
  const end = Math.min(endOfLine(text, position.offset), position.offset + EXCERPT_AFTER);
  const before = (start > lineStart ? '…' : '') + text.slice(start, position.offset);
  const after = text.slice(position.offset, end) + (end < endOfLine(text, end) ? '…' : '');
  // Tabs are kept above the caret, so that both lines indent alike in any display.
  const indent = before.replace(/[^\t]/gu, ' ');
  return `${before}${after}\n${indent}^`;
}

function endOfLine(text: string, from: number): number {
  let at = from;
  while (at < text.length && text.charCodeAt(at) !== LF && text.charCodeAt(at) !== CR) at++;
  return at;
}

const LF = 10;
const CR = 13;
