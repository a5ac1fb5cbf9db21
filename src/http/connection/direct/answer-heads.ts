// The head of an answer, as Node would print it: status line, headers, then `Date` and
// `Connection`.

import { STATUS_CODES } from 'node:http';
import type { WholeAnswer } from '../../response/outgoing.ts';

const CLOSE = 'close';
/** Other characters would allow header injection or response splitting. */
const PRINTABLE = /^[\t -~]*$/;

export interface AnswerHead {
  readonly text: string;
  /** Whether its headers say `Connection: close`. */
  readonly closes: boolean;
  readonly isChunked: boolean;
}

export interface HeadOptions {
  readonly status: number;
  /** Names and values alternating. */
  readonly headers: readonly string[];
  /** Whether a body follows; it is chunked if the headers have no length. */
  readonly hasBody: boolean;
}

export class AnswerHeads {
  readonly #keepAliveLines: string;
  #second = 0;
  #date = '';
  /** The lines that most heads end with. */
  #keepAliveEnd = '';

  constructor(keepAliveTimeoutMs: number) {
    const seconds = Math.floor(keepAliveTimeoutMs / 1000);
    this.#keepAliveLines = `Connection: keep-alive\r\nKeep-Alive: timeout=${seconds}\r\n`;
  }

  print({ hasBody, headers, status }: HeadOptions): AnswerHead {
    let text = printStatus(status);
    let closes = false;
    let isChunked = hasBody;
    for (let i = 0; i < headers.length; i += 2) {
      const name = headers[i] ?? '';
      const value = headers[i + 1] ?? '';
      text += printLine(name, value);
      if (name === 'Content-Length') isChunked = false;
      else if (name === 'Connection') closes = value === CLOSE;
    }
    this.#updateDate();
    text += this.#date;
    if (!closes) text += this.#keepAliveLines;
    text += isChunked ? 'Transfer-Encoding: chunked\r\n\r\n' : '\r\n';
    return { text, closes, isChunked };
  }

  /** The same text, faster, for a complete answer; `lines`: those that many answers share. */
  printWhole(answer: Omit<WholeAnswer, 'body' | 'isOwn'>, lines: string): string {
    const { bodyBytes, contentType, headers, requestId, status } = answer;
    this.#updateDate();
    const type = contentType === undefined ? '' : printLine('Content-Type', contentType);
    const id = printLine('X-Request-Id', requestId);
    const own = printStatus(status) + type + printLines(headers) + id;
    return `${own}${lines}Content-Length: ${bodyBytes}\r\n${this.#keepAliveEnd}`;
  }

  /** The date is printed once a second. */
  #updateDate(): void {
    const now = Date.now();
    const second = now - (now % 1000);
    if (second === this.#second) return;
    this.#second = second;
    this.#date = `Date: ${new Date(second).toUTCString()}\r\n`;
    this.#keepAliveEnd = `${this.#date}${this.#keepAliveLines}\r\n`;
  }
}

const OK = 'HTTP/1.1 200 OK\r\n';

function printStatus(status: number): string {
  return status === 200 ? OK : `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`;
}

/** Names and values alternating. */
export function printLines(headers: readonly string[]): string {
  let text = '';
  for (let i = 0; i < headers.length; i += 2) {
    text += printLine(headers[i] ?? '', headers[i + 1] ?? '');
  }
  return text;
}

function printLine(name: string, value: string): string {
  if (!PRINTABLE.test(value)) throw new TypeError(`Header ${name} holds a line break`);
  return `${name}: ${value}\r\n`;
}
