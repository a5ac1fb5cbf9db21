// Parses a request from the bytes of a connection if it is plain: complete, and in a form that is
// never ambiguous. Everything else is left to Node's parser, which refuses malformed requests:
//
//   GET|HEAD|PUT|POST|DELETE SP /target SP HTTP/1.1 CRLF
//   *( token ":" OWS value OWS CRLF )      each name once, none that frames bodies
//   CRLF                                   but Content-Length, none that asks for
//   body of Content-Length bytes           more than an answer

import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import type { WholeRequest } from '../../request/request-head.ts';

/** The header fields of a request, cached: equal text is not parsed again. */
export interface PlainFields {
  /** As they were sent, from after the request line to the empty line. */
  readonly text: string;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly bodyBytes: number;
}

/** The bytes that a connection sent so far, and the part of them that is parsed. */
export interface Arrival {
  readonly bytes: Buffer;
  readonly socket: Socket;
  /** Of the previous request, if there was one. */
  readonly lastFields: PlainFields | undefined;
  readonly knownFields: KnownFields;
}

const MAX_KNOWN = 256;
const MAX_CHARACTERS = 1024;

/**
 * Header fields that were parsed lately, on any connection. Clients send the same ones again and
 * again, apart from the length of the body.
 */
export class KnownFields {
  readonly #byText = new Map<string, PlainFields>();

  /** Undefined when they are not plain. */
  parse(text: string): PlainFields | undefined {
    const known = this.#byText.get(text);
    if (known !== undefined) return known;
    const fields = parseFields(text);
    if (fields !== undefined && text.length <= MAX_CHARACTERS) this.#keep(fields);
    return fields;
  }

  #keep(fields: PlainFields): void {
    if (this.#byText.size >= MAX_KNOWN) {
      const [oldest = ''] = this.#byText.keys();
      this.#byText.delete(oldest);
    }
    this.#byText.set(fields.text, fields);
  }
}

export interface PlainRequest extends WholeRequest {
  readonly method: string;
  readonly fields: PlainFields;
  /** Where the next request begins. */
  readonly end: number;
}

const HEAD_END = '\r\n\r\n';
/** Most requests are no longer than this, and are decoded as one string. */
const SHORT_BYTES = 2048;
export const LINE_END = '\r\n';
const VERSION = ' HTTP/1.1';
/** With the blank after them; the most frequent ones first. */
const METHODS = ['GET ', 'HEAD ', 'PUT ', 'POST ', 'DELETE '].map((start) => ({
  start,
  name: start.trimEnd(),
}));
/** Visible ASCII without `#`, which a target should not hold. */
const TARGET = /^\/[!"$-~]*$/;
const NAME = /^[\w!#$%&'*+.^`|~-]+$/;
const VALUE = /^[\t -~]*$/;
const LENGTH = /^\d{1,9}$/;
const NO_BODY = Buffer.alloc(0);
/** These frame a body differently, request another protocol, or may be lists. */
const NEVER_PLAIN: ReadonlySet<string> = new Set([
  'transfer-encoding',
  'upgrade',
  'expect',
  'trailer',
  'te',
  'http2-settings',
  'proxy-connection',
  'set-cookie',
]);

/** The first request in the bytes; undefined when it is not plain, or is incomplete. */
export function parsePlainRequest(arrival: Arrival): PlainRequest | undefined {
  const { bytes, knownFields, lastFields, socket } = arrival;
  const decoded = bytes.toString('latin1', 0, SHORT_BYTES);
  const decodedEnd = decoded.indexOf(HEAD_END);
  const headEnd = decodedEnd < 0 ? bytes.indexOf(HEAD_END) : decodedEnd;
  if (headEnd < 0) return undefined;
  const linesEnd = headEnd + LINE_END.length;
  const head = decodedEnd < 0 ? bytes.toString('latin1', 0, linesEnd) : decoded.slice(0, linesEnd);
  const method = METHODS.find(({ start }) => head.startsWith(start));
  const lineEnd = head.indexOf(LINE_END);
  if (method === undefined || !head.startsWith(VERSION, lineEnd - VERSION.length)) return undefined;
  const url = head.slice(method.start.length, lineEnd - VERSION.length);
  if (!TARGET.test(url)) return undefined;
  const text = head.slice(lineEnd + LINE_END.length);
  const fields = lastFields?.text === text ? lastFields : knownFields.parse(text);
  if (fields === undefined) return undefined;
  const bodyStart = headEnd + HEAD_END.length;
  const end = bodyStart + fields.bodyBytes;
  if (end > bytes.length || (fields.bodyBytes > 0 && !mayHaveBody(method.name))) return undefined;
  return {
    httpVersionMajor: 1,
    httpVersionMinor: 1,
    method: method.name,
    url,
    headers: fields.headers,
    rawHeaders: fields.rawHeaders,
    socket,
    body: fields.bodyBytes === 0 ? NO_BODY : bytes.subarray(bodyStart, end),
    fields,
    end,
  };
}

function mayHaveBody(method: string): boolean {
  return method === 'PUT' || method === 'POST';
}

function parseFields(text: string): PlainFields | undefined {
  // Without a prototype: a header may be called `__proto__`.
  const headers: Record<string, string> = Object.create(null);
  const rawHeaders: string[] = [];
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf(LINE_END, start);
    const colon = text.indexOf(':', start);
    if (colon < 0 || colon > end) return undefined;
    const rawName = text.slice(start, colon);
    const rawValue = text.slice(colon + 1, end);
    if (!NAME.test(rawName) || !VALUE.test(rawValue)) return undefined;
    const name = rawName.toLowerCase();
    // White space here is a blank or a tab.
    const value = rawValue.trim();
    if (headers[name] !== undefined || !isPlainField(name, value)) return undefined;
    headers[name] = value;
    rawHeaders.push(rawName, value);
    start = end + LINE_END.length;
  }
  const bodyBytes = Number(headers['content-length'] ?? 0);
  return { text, headers, rawHeaders, bodyBytes };
}

function isPlainField(name: string, value: string): boolean {
  if (name === 'content-length') return LENGTH.test(value);
  // The connection is kept open anyway.
  if (name === 'connection') return value.toLowerCase() === 'keep-alive';
  return !NEVER_PLAIN.has(name);
}
