// Request bodies: reads them within the limit, checks them and removes white space.

import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { detachBuffer } from '../../value/detach-buffer.ts';
import { checkJson } from '../../value/json-check.ts';
import { JsonTextError } from '../../value/json-text.ts';
import {
  type BodyPosition,
  badJson,
  bodyTooLarge,
  malformed,
  noBody,
  overloaded,
  type RequestError,
  requestTimeout,
  unsupportedMediaType,
} from '../errors.ts';
import type { BodyMemory } from '../memory/body-memory.ts';
import { mediaTypeOf } from './body-types.ts';
import { type ContentCoding, parseContentCoding, unpack } from './content-codings.ts';
import { LARGE_BODY_BYTES, type LargeBodies } from './large-bodies.ts';
import { ReceivedBody } from './received-body.ts';
import type { RequestHead, RequestSource } from './request-head.ts';
import type { SlowBodies } from './slow-bodies.ts';

const NEWLINE = 0x0a;
/** Only the block with invalid UTF-8 is decoded, because a copy of the body may be large. */
const BLOCK_BYTES = 64 * 1024;
/** Not counted: it came in the same packet as its head. */
const SMALL_BODY_BYTES = 4 * 1024;

export interface BodyLimits {
  readonly maxBodyBytes: number;
  readonly maxJsonDepth: number;
  /** Limits the memory of all bodies in flight; absent: no limit. */
  readonly bodyMemory?: BodyMemory;
  /** Accepted media types; absent: only `application/json`. */
  readonly mediaTypes?: readonly string[];
  /** Checks large bodies in slices; absent: all are checked in one go. */
  readonly largeBodies?: LargeBodies;
  /** Absent: no minimum rate. */
  readonly slowBodies?: SlowBodies;
}

/**
 * The body as compact JSON text; refuses a request without one. Synchronous if the body arrived
 * with its head, as most do.
 */
export function readJsonBody(
  incoming: RequestSource,
  limits: BodyLimits,
): string | Promise<string> {
  const reading = readOptionalJsonBody(incoming, limits);
  return reading instanceof Promise ? reading.then(requireBody) : requireBody(reading);
}

function requireBody(text: string | undefined): string {
  if (text === undefined) throw noBody();
  return text;
}

/** The same; undefined when there is none or it is empty. */
export function readOptionalJsonBody(
  incoming: RequestSource,
  limits: BodyLimits,
): string | undefined | Promise<string | undefined> {
  if (!hasBody(incoming)) return undefined;
  const bytes = readBytes(incoming, limits);
  return bytes instanceof Promise
    ? bytes.then((received) => toOptionalText(received, incoming, limits))
    : toOptionalText(bytes, incoming, limits);
}

/** The raw body; undefined when there is none or it is empty. */
export function readOptionalBytes(
  incoming: RequestSource,
  limits: BodyLimits,
): Buffer | undefined | Promise<Buffer | undefined> {
  if (!hasBody(incoming)) return undefined;
  const bytes = readBytes(incoming, limits);
  return bytes instanceof Promise ? bytes.then(orUndefined) : orUndefined(bytes);
}

function orUndefined(bytes: Buffer): Buffer | undefined {
  return bytes.length === 0 ? undefined : bytes;
}

function toOptionalText(
  bytes: Buffer,
  incoming: RequestHead,
  limits: BodyLimits,
): string | undefined | Promise<string> {
  if (bytes.length === 0) return undefined;
  checkMediaType(incoming.headers['content-type'], limits.mediaTypes ?? JSON_ALONE);
  return toJsonText(bytes, limits);
}

/** Checked JSON without white space; the input is detached. Throws `request/bad-json`. */
export function toJsonText(
  bytes: Buffer,
  { largeBodies, maxJsonDepth }: BodyLimits,
): string | Promise<string> {
  if (!isUtf8(bytes)) throw badJson('Not valid UTF-8', positionOf(bytes, firstBadByte(bytes)));
  const limits = { maxDepth: maxJsonDepth };
  const fail = (error: unknown): never => {
    throw locate(error, bytes);
  };
  if (largeBodies !== undefined && bytes.length >= LARGE_BODY_BYTES) {
    return largeBodies.check(bytes, limits).then((compact) => takeText(compact, bytes), fail);
  }
  try {
    return takeText(checkJson(bytes, limits), bytes);
  } catch (error) {
    return fail(error);
  }
}

/** Whether the head announces a body, if only an empty one. */
export function hasBody({ headers }: Pick<RequestHead, 'headers'>): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

const JSON_ALONE = ['application/json'];

/** Requires one of the types, without a charset or with UTF-8. */
function checkMediaType(header: string | undefined, mediaTypes: readonly string[]): void {
  if (header === 'application/json' && mediaTypes === JSON_ALONE) return;
  if (!mediaTypes.includes(mediaTypeOf(header))) {
    throw unsupportedMediaType('must be application/json in UTF-8', header);
  }
}

/** Decompresses a compressed body; both sizes are limited. */
function readBytes(incoming: RequestSource, limits: BodyLimits): Buffer | Promise<Buffer> {
  const coding = parseContentCoding(incoming.headers);
  const bytes = readSentBytes(incoming, limits);
  return coding === undefined ? bytes : unpackBytes(incoming, bytes, coding, limits);
}

async function unpackBytes(
  incoming: RequestSource,
  sent: Buffer | Promise<Buffer>,
  coding: ContentCoding,
  { bodyMemory, maxBodyBytes }: BodyLimits,
): Promise<Buffer> {
  const unpacked = await unpack(await sent, coding, maxBodyBytes);
  if (bodyMemory?.hold(incoming, unpacked.length) === false) throw overloaded();
  return unpacked;
}

function readSentBytes(incoming: RequestSource, limits: BodyLimits): Buffer | Promise<Buffer> {
  const { bodyMemory, maxBodyBytes } = limits;
  if (Number(incoming.headers['content-length']) > maxBodyBytes) throw bodyTooLarge(maxBodyBytes);
  if ('body' in incoming && incoming.body.length <= SMALL_BODY_BYTES) return incoming.body;
  if (bodyMemory?.admit(incoming) === false) {
    dropBody(incoming);
    throw overloaded();
  }
  if (!('body' in incoming)) return receiveBytes(incoming, limits);
  if (bodyMemory?.hold(incoming, incoming.body.length) === false) throw overloaded();
  return incoming.body;
}

/** Reads and discards the rest of a body, so that the connection can be used again. */
export function dropBody(incoming: RequestSource): void {
  if (!('body' in incoming) && hasBody(incoming)) incoming.on('data', detachBuffer);
}

function receiveBytes(
  incoming: IncomingMessage,
  { bodyMemory, maxBodyBytes, slowBodies }: BodyLimits,
): Promise<Buffer> {
  // The client disconnected before its body was read: no event will follow.
  if (incoming.destroyed) return Promise.reject(endedEarly());
  return new Promise<Buffer>((resolve, reject) => {
    const announced = incoming.headers['content-length'];
    const body = new ReceivedBody(announced === undefined ? undefined : Number(announced));
    const reading = slowBodies?.begin(() => settle(() => reject(requestTimeout()))) ?? { bytes: 0 };
    const settle = (outcome: () => void): void => {
      slowBodies?.end(reading);
      outcome();
    };
    const take = (chunk: Buffer): void => {
      reading.bytes += chunk.length;
      if (reading.bytes > maxBodyBytes) {
        incoming.pause();
        settle(() => reject(bodyTooLarge(maxBodyBytes)));
      } else if (bodyMemory?.hold(incoming, chunk.length) === false) {
        detachBuffer(body.take());
        dropBody(incoming.off('data', take));
        settle(() => reject(overloaded()));
      } else body.add(chunk);
    };
    incoming.on('data', take);
    incoming.on('end', () => settle(() => resolve(body.take())));
    incoming.on('error', () => settle(() => reject(endedEarly())));
  });
}

/** For values in a list or an object that does not count as their nesting. */
export function oneDeeper(limits: BodyLimits): BodyLimits {
  return { ...limits, maxJsonDepth: limits.maxJsonDepth + 1 };
}

export function endedEarly(): RequestError {
  return malformed('The body ended before it was complete');
}

/** Decodes a checked body and detaches its buffer. */
function takeText(compact: Uint8Array, bytes: Buffer): string {
  const own =
    compact === bytes ? bytes : Buffer.from(compact.buffer, compact.byteOffset, compact.length);
  const text = own.toString('utf8');
  // Without white space, the compact text is the front part of its own buffer.
  detachBuffer(compact.length < bytes.length ? new Uint8Array(compact.buffer) : compact);
  detachBuffer(bytes);
  return text;
}

/** Adds the position in the body to a failure of the check. */
function locate(error: unknown, bytes: Buffer): unknown {
  if (!(error instanceof JsonTextError)) return error;
  return badJson(error.message, positionOf(bytes, error.offset));
}

/** The start of the first invalid UTF-8 character: finds its block first. */
function firstBadByte(bytes: Buffer): number {
  let start = 0;
  let end = blockEnd(bytes, start);
  while (end < bytes.length && isUtf8(bytes.subarray(start, end))) {
    start = end;
    end = blockEnd(bytes, start);
  }
  // The decoder replaces an invalid character by U+FFFD, so the texts differ there.
  const decoded = Buffer.from(bytes.subarray(start, end).toString('utf8'));
  let at = 0;
  while (decoded[at] === bytes[start + at]) at += 1;
  while (isContinuation(decoded[at])) at -= 1;
  return start + at;
}

/** The end of the next block, before a byte that can begin a character. */
function blockEnd(bytes: Buffer, start: number): number {
  let end = start + BLOCK_BYTES;
  while (end > start + 1 && isContinuation(bytes[end])) end -= 1;
  return end;
}

/** Whether a byte is a later one of a UTF-8 character. */
function isContinuation(byte = 0): boolean {
  return (byte & 0xc0) === 0x80;
}

function positionOf(bytes: Buffer, byteOffset: number): BodyPosition {
  const before = bytes.subarray(0, byteOffset).toString('utf8');
  const lineStart = before.lastIndexOf('\n') + 1;
  let line = 1;
  for (let i = 0; i < byteOffset; i += 1) if (bytes[i] === NEWLINE) line += 1;
  return { offset: before.length, line, column: before.length - lineStart + 1 };
}
