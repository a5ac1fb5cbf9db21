// Parses the answers of a connection, like a client that pipelines.

import assert from 'node:assert/strict';

export interface ReadAnswer {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
  /** Whether the answer has `Connection: close`. */
  readonly closes: boolean;
}

const HEAD_END = '\r\n\r\n';

/**
 * The answers to requests of these methods, without interim answers (100). All received bytes must be
 * whole answers.
 */
export function readAnswers(received: string, methods: readonly string[]): readonly ReadAnswer[] {
  const answers: ReadAnswer[] = [];
  let at = 0;
  while (at < received.length) {
    const headEnd = received.indexOf(HEAD_END, at);
    assert.ok(headEnd >= 0, `half a head at ${at}: ${received.slice(at, at + 200)}`);
    const [line = '', ...fields] = received.slice(at, headEnd).split('\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(line)?.[1]);
    assert.ok(status >= 100, `no status line at ${at}: ${line}`);
    at = headEnd + HEAD_END.length;
    if (status === 100) continue;
    const method = methods[answers.length];
    assert.ok(method !== undefined, `an answer to no request: ${line}`);
    const headers = new Map(fields.map(splitField));
    const hasBody = method !== 'HEAD' && status !== 204 && status !== 304;
    const { body, end } = hasBody ? readBody(received, at, headers) : { body: '', end: at };
    at = end;
    answers.push({ status, headers, body, closes: headers.get('connection') === 'close' });
  }
  return answers;
}

function splitField(field: string): [string, string] {
  const colon = field.indexOf(':');
  return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()];
}

function readBody(
  received: string,
  start: number,
  headers: ReadonlyMap<string, string>,
): { readonly body: string; readonly end: number } {
  if (headers.get('transfer-encoding') !== 'chunked') {
    const end = start + Number(headers.get('content-length'));
    assert.ok(end <= received.length, `half a body at ${start}`);
    return { body: received.slice(start, end), end };
  }
  let body = '';
  let at = start;
  for (;;) {
    const lineEnd = received.indexOf('\r\n', at);
    const size = Number.parseInt(received.slice(at, lineEnd), 16);
    const from = lineEnd + 2;
    assert.ok(lineEnd >= 0 && from + size + 2 <= received.length, `half a chunk at ${at}`);
    body += received.slice(from, from + size);
    at = from + size + 2;
    if (size === 0) return { body, end: at };
  }
}
