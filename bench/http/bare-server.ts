// The baseline: a bare `node:http` server that answers the same bytes, with the same headers, from a Map.
// Runs as a child process:
//
//   node bare-server.ts ENTRIES SMALLER_ENTRIES

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { makeKey, makeValue, REGION, SMALLER_REGION } from './entries.ts';

const [entryCount = 0, smallerCount = 0] = process.argv.slice(2).map(Number);
const entries = makeEntries(entryCount);
const smaller = makeEntries(smallerCount);

const REGION_PATH = `/grid-api/v1/${REGION}`;
const KEYS_AT = REGION_PATH.length + 1;
/** From this size on the service compresses bodies on request, and sends Vary. */
const MIN_COMPRESSED_BYTES = 1400;
const VARY = ['Vary', 'Accept-Encoding'];
/** Headers of every answer; the id has the same length as ours. */
const COMMON_HEADERS = [
  'X-Request-Id',
  'abc-mabcdefg-12345',
  'Cache-Control',
  'no-store',
  'X-Content-Type-Options',
  'nosniff',
  'Cross-Origin-Resource-Policy',
  'same-origin',
];
const TAG = '"101"';
const HASHED_TAG = `"${'x'.repeat(43)}"`;
const PAGE = 50;
const PAGE_START = `${REGION_PATH}?limit=`;
/** Values per write in a long answer: about 64 KiB. */
const PIECE = 190;

const server = createServer((request, response) => {
  const url = request.url ?? '';
  if (request.method === 'HEAD') answerSize(response);
  else if (request.method === 'PUT') answerPut(request, response, url.slice(KEYS_AT));
  else if (url === REGION_PATH) answerPage(request, response, PAGE);
  else if (url.startsWith(PAGE_START)) answerPage(request, response, sizeOf(url));
  else if (url.startsWith(`/grid-api/v1/${SMALLER_REGION}?`)) void answerAll(response);
  else answerKeys(request, response, url.slice(KEYS_AT));
});

server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo; // listening on TCP
  console.log(`bare server listening on http://127.0.0.1:${port}`);
});

function answerKeys(request: IncomingMessage, response: ServerResponse, keys: string): void {
  const isOne = !keys.includes(',');
  const values = isOne
    ? (entries.get(keys) ?? 'null')
    : keys
        .split(',')
        .map((key) => entries.get(key))
        .join(',');
  answer(response, `{"${REGION}":[${values}]}`, [
    'Content-Type',
    'application/json',
    'ETag',
    isOne ? TAG : HASHED_TAG,
    'Content-Location',
    `http://${request.headers.host}${REGION_PATH}/${keys}`,
  ]);
}

function sizeOf(url: string): number {
  return Number(url.slice(PAGE_START.length));
}

function answerPage(request: IncomingMessage, response: ServerResponse, size: number): void {
  const keys: string[] = [];
  const values: string[] = [];
  for (const [key, value] of entries) {
    keys.push(key);
    values.push(value);
    if (keys.length === size) break;
  }
  answer(response, `{"${REGION}":[${values.join(',')}]}`, [
    'Content-Type',
    'application/json',
    'Content-Location',
    `http://${request.headers.host}${REGION_PATH}/${keys.join(',')}`,
    'Link',
    `<http://${request.headers.host}${REGION_PATH}?limit=${size}&cursor=LiFPSc-nazAwMDAwNDk>; rel="next"`,
  ]);
}

function answerSize(response: ServerResponse): void {
  const count = String(entries.size);
  const type = 'application/json; charset=utf-8';
  response.writeHead(200, ['Content-Type', type, 'Resource-Count', count, ...COMMON_HEADERS]);
  response.end();
}

async function answerAll(response: ServerResponse): Promise<void> {
  response.writeHead(200, ['Content-Type', 'application/json', ...VARY, ...COMMON_HEADERS]);
  response.write(`{"${SMALLER_REGION}":[`);
  let piece: string[] = [];
  let separator = '';
  for (const value of smaller.values()) {
    piece.push(value);
    if (piece.length < PIECE) continue;
    if (!response.write(separator + piece.join(','))) await drained(response);
    if (response.destroyed) return;
    piece = [];
    separator = ',';
  }
  if (piece.length > 0) response.write(separator + piece.join(','));
  response.end(']}');
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const settle = (): void => {
      response.off('drain', settle);
      response.off('close', settle);
      resolve();
    };
    response.on('drain', settle);
    response.on('close', settle);
  });
}

function answerPut(request: IncomingMessage, response: ServerResponse, key: string): void {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const text = chunks.length === 1 ? String(chunks[0]) : Buffer.concat(chunks).toString();
    JSON.parse(text);
    entries.set(key, text);
    const location = `http://${request.headers.host}${REGION_PATH}/${key}`;
    answer(response, '', ['Location', location, 'ETag', TAG]);
  });
}

function answer(response: ServerResponse, body: string, headers: string[]): void {
  if (body.length >= MIN_COMPRESSED_BYTES) headers.push(...VARY);
  headers.push(...COMMON_HEADERS, 'Content-Length', String(Buffer.byteLength(body)));
  response.writeHead(200, headers);
  response.end(body);
}

function makeEntries(count: number): Map<string, string> {
  const made = new Map<string, string>();
  // Copied through a buffer, because V8 would flatten a concatenated string at its first use.
  for (let i = 0; i < count; i += 1)
    made.set(makeKey(i), Buffer.from(makeValue(i)).toString('latin1'));
  return made;
}
