// The head of an answer, as Node would print it: status line, headers, then the
// date and what becomes of the connection.

import { STATUS_CODES } from 'node:http';

const CLOSE = 'close';
/** Anything else in a header would let a value pass for a header, or for an answer. */
const PRINTABLE = /^[\t -~]*$/;

export interface AnswerHead {
  readonly text: string;
  /** Its headers say that the connection ends with it. */
  readonly closes: boolean;
  readonly isChunked: boolean;
}

export interface HeadOptions {
  readonly status: number;
  /** Names and values in turn. */
  readonly headers: readonly string[];
  /** Whether a body follows at all; without a length among the headers it goes in chunks. */
  readonly hasBody: boolean;
}

export class AnswerHeads {
  readonly #kept: string;
  #second = 0;
  #date = '';

  constructor(keepAliveTimeoutMs: number) {
    const seconds = Math.floor(keepAliveTimeoutMs / 1000);
    this.#kept = `Connection: keep-alive\r\nKeep-Alive: timeout=${seconds}\r\n`;
  }

  print({ hasBody, headers, status }: HeadOptions): AnswerHead {
    let text = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`;
    let closes = false;
    let isChunked = hasBody;
    for (let i = 0; i < headers.length; i += 2) {
      const name = headers[i] ?? '';
      const value = headers[i + 1] ?? '';
      if (!PRINTABLE.test(value)) throw new TypeError(`Header ${name} holds a line break`);
      text += `${name}: ${value}\r\n`;
      if (name === 'Content-Length') isChunked = false;
      else if (name === 'Connection') closes = value === CLOSE;
    }
    text += this.#printDate();
    if (!closes) text += this.#kept;
    text += isChunked ? 'Transfer-Encoding: chunked\r\n\r\n' : '\r\n';
    return { text, closes, isChunked };
  }

  /** Made once a second. */
  #printDate(): string {
    const now = Date.now();
    const second = now - (now % 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#date = `Date: ${new Date(second).toUTCString()}\r\n`;
    }
    return this.#date;
  }
}
