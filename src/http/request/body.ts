// Request bodies: read within the limit, checked, made compact.

import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { checkJson } from '../../value/json-check.ts';
import { JsonTextError } from '../../value/json-text.ts';
import {
  badJson,
  bodyTooLarge,
  malformed,
  noBody,
  overloaded,
  type Position,
  requestTimeout,
  unsupportedEncoding,
  unsupportedMediaType,
} from '../errors.ts';
import type { BodyMemory } from '../memory/body-memory.ts';
import { giveBack } from '../memory/give-back.ts';
import { mediaTypeOf } from './media-type.ts';
import { ReceivedBody } from './received-body.ts';
import type { RequestHead, RequestSource, WholeRequest } from './request-head.ts';
import type { SlowBodies } from './slow-bodies.ts';

export interface BodyLimits {
  readonly maxBodyBytes: number;
  readonly maxJsonDepth: number;
  /** What all bodies in flight may hold together; absent: no matter how much. */
  readonly bodyMemory?: BodyMemory;
  /** Media types that are taken; absent: `application/json` alone. */
  readonly mediaTypes?: readonly string[];
  /** Absent: bodies may take their time. */
  readonly slowBodies?: SlowBodies;
}

/** The body as compact JSON text; a request without one is refused. */
export async function readJsonBody(incoming: RequestSource, limits: BodyLimits): Promise<string> {
  const reading = readOptionalJsonBody(incoming, limits);
  const text = reading instanceof Promise ? await reading : reading;
  if (text === undefined) throw noBody();
  return text;
}

/**
 * The body as compact JSON text, or undefined when there is none or it is empty. At once where it
 * came together with its head, as most do.
 */
export function readOptionalJsonBody(
  incoming: RequestSource,
  limits: BodyLimits,
): string | undefined | Promise<string | undefined> {
  if (!hasBody(incoming)) return undefined;
  checkEncoding(incoming);
  const bytes = readBytes(incoming, limits);
  return bytes instanceof Promise
    ? bytes.then((received) => toOptionalText(received, incoming, limits))
    : toOptionalText(bytes, incoming, limits);
}

/** The body as it came, or undefined when there is none or it is empty. */
export function readOptionalBytes(
  incoming: RequestSource,
  limits: BodyLimits,
): Buffer | undefined | Promise<Buffer | undefined> {
  if (!hasBody(incoming)) return undefined;
  checkEncoding(incoming);
  const bytes = readBytes(incoming, limits);
  return bytes instanceof Promise ? bytes.then(orUndefined) : orUndefined(bytes);
}

function orUndefined(bytes: Buffer): Buffer | undefined {
  return bytes.length === 0 ? undefined : bytes;
}

function toOptionalText(
  bytes: Buffer,
  incoming: RequestHead,
  { maxJsonDepth, mediaTypes = JSON_ALONE }: BodyLimits,
): string | undefined {
  if (bytes.length === 0) return undefined;
  checkMediaType(incoming.headers['content-type'], mediaTypes);
  return toCompactText(bytes, maxJsonDepth);
}

/** Whether the head announces a body, if only an empty one. */
export function hasBody(incoming: RequestHead): boolean {
  const length = incoming.headers['content-length'];
  return incoming.headers['transfer-encoding'] !== undefined || (length ?? '0') !== '0';
}

function checkEncoding(incoming: RequestHead): void {
  const encoding = incoming.headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw unsupportedEncoding(encoding);
  }
}

const JSON_ALONE = ['application/json'];

/** One of the types, alone or with a charset that means UTF-8. */
function checkMediaType(header: string | undefined, mediaTypes: readonly string[]): void {
  if (header === 'application/json' && mediaTypes === JSON_ALONE) return;
  if (!mediaTypes.includes(mediaTypeOf(header))) throw unsupportedMediaType(header);
}

function readBytes(incoming: RequestSource, limits: BodyLimits): Buffer | Promise<Buffer> {
  const { bodyMemory, maxBodyBytes } = limits;
  if (Number(incoming.headers['content-length']) > maxBodyBytes) throw bodyTooLarge(maxBodyBytes);
  if (bodyMemory?.admit(incoming) === false) {
    dropBody(incoming);
    throw overloaded();
  }
  return 'body' in incoming ? takeBytes(incoming, limits) : receiveBytes(incoming, limits);
}

/** Reads what is left of a body that nobody wants: the connection goes on behind it. */
export function dropBody(incoming: RequestSource): void {
  if (!('body' in incoming) && hasBody(incoming)) incoming.on('data', giveBack);
}

function takeBytes(request: WholeRequest, { bodyMemory }: BodyLimits): Buffer {
  if (bodyMemory?.hold(request, request.body.length) === false) throw overloaded();
  return request.body;
}

function receiveBytes(
  incoming: IncomingMessage,
  { bodyMemory, maxBodyBytes, slowBodies }: BodyLimits,
): Promise<Buffer> {
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
        giveBack(body.take());
        dropBody(incoming.off('data', take));
        settle(() => reject(overloaded()));
      } else body.add(chunk);
    };
    incoming.on('data', take);
    incoming.on('end', () => settle(() => resolve(body.take())));
    incoming.on('error', () =>
      settle(() => reject(malformed('The body ended before it was complete'))),
    );
  });
}

/** Checked JSON without blanks; the bytes are given back. Throws `request/bad-json`. */
export function toCompactText(bytes: Buffer, maxDepth: number): string {
  if (!isUtf8(bytes)) throw badJson('Not valid UTF-8', positionOf(bytes, firstBadByte(bytes)));
  try {
    const compact = checkJson(bytes, { maxDepth });
    const text = Buffer.from(compact.buffer, compact.byteOffset, compact.length).toString('utf8');
    giveBack(compact);
    giveBack(bytes);
    return text;
  } catch (error) {
    if (error instanceof JsonTextError) {
      throw badJson(error.message, positionOf(bytes, error.offset));
    }
    throw error;
  }
}

/** Where the first character that is not UTF-8 begins, found by halving. */
function firstBadByte(bytes: Buffer): number {
  let good = 0;
  let bad = bytes.length + 1;
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (canBeginUtf8(bytes.subarray(0, middle))) good = middle;
    else bad = middle;
  }
  // What can still be completed at the end of the good part is the beginning of the bad character.
  while (!isUtf8(bytes.subarray(0, good))) good -= 1;
  return good;
}

/** Whether nothing is wrong so far; the last character may be cut off. */
function canBeginUtf8(bytes: Buffer): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

function positionOf(bytes: Buffer, byteOffset: number): Position {
  const before = bytes.subarray(0, byteOffset).toString('utf8');
  const lineStart = before.lastIndexOf('\n') + 1;
  const line = before.split('\n').length;
  return { offset: before.length, line, column: before.length - lineStart + 1 };
}
