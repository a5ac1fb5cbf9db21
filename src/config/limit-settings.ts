// The settings `limits.…`: limits on requests and clients.

import {
  DEFAULT_MAX_NESTING,
  DEFAULT_MAX_PLACEHOLDERS,
  DEFAULT_MAX_TEXT_LENGTH,
} from '../value/default-limits.ts';
import { MAX_JSON_DEPTH } from '../value/json-check.ts';
import type { SettingPath } from './config.ts';
import { bytes, count, KIB, MAX, MIB, ms, type Setting } from './setting.ts';

type LimitPath = Extract<SettingPath, `limits.${string}`>;

export const LIMIT_SETTINGS: Readonly<Record<LimitPath, Setting>> = {
  'limits.headers-timeout-ms': {
    type: ms(1),
    fallback: 10_000,
    doc: 'Time to send the request head, at most `limits.request-timeout-ms`; 408 beyond it.',
  },
  'limits.request-timeout-ms': {
    type: ms(1),
    fallback: 60_000,
    doc: 'Time to send the whole request; 408 beyond it.',
  },
  'limits.timeout-check-interval-ms': {
    type: ms(1),
    fallback: 1_000,
    doc: 'How often the two times above are checked.',
  },
  'limits.keep-alive-timeout-ms': {
    type: ms(0),
    fallback: 5_000,
    doc: 'Time a connection may idle between requests.',
  },
  'limits.socket-idle-timeout-ms': {
    type: ms(0),
    fallback: 60_000,
    doc: 'Time a socket may be silent in both directions; raised automatically above `query.max-execution-time-ms`, and no limit if that is 0.',
  },
  'limits.stalled-reader-timeout-ms': {
    type: ms(1),
    fallback: 30_000,
    doc: 'Time for which a client may read its answer more slowly than `limits.answer-bytes-per-second` before it is cut off.',
  },
  'limits.answer-bytes-per-second': {
    type: bytes(0, MAX),
    fallback: 2 * KIB,
    doc: 'The lowest rate at which a client must read its answer; 0 cuts off only a client that reads nothing.',
  },
  'limits.answer-timeout-ms': {
    type: ms(0),
    fallback: 1_800_000,
    doc: "Longest time that an answer in pieces may take, because it keeps the store's log from being checkpointed; 0 means no limit.",
  },
  'limits.streams': {
    type: count(1, 1_000_000),
    fallback: 2_048,
    doc: 'Answers being sent in pieces at once; more get 503 with `Retry-After`. While such an answer waits for its client, it is not counted among `limits.requests-in-flight`.',
  },
  'limits.streams-per-client': {
    type: count(1, 1_000_000),
    fallback: 1_024,
    doc: 'How many of `limits.streams` one address may have.',
  },
  'limits.connections': {
    type: count(1, 1_000_000),
    fallback: 4_096,
    doc: 'Connections at once; more are dropped.',
  },
  'limits.requests-in-flight': {
    type: count(1, 1_000_000),
    fallback: 256,
    doc: 'Requests being answered at once; more get 503 with `Retry-After`, 1,000 of them a second, and the others up to a second later.',
  },
  'limits.header-bytes': {
    type: bytes(1_024, 16 * MIB),
    fallback: 32 * KIB,
    doc: 'Bytes of all headers; 431 beyond it. The request line counts as URL.',
  },
  'limits.header-count': {
    type: count(1, 10_000),
    fallback: 100,
    doc: 'Headers of a request; 431 beyond it.',
  },
  'limits.url-bytes': {
    type: bytes(256, 16 * MIB),
    fallback: 32 * KIB,
    doc: 'Bytes of the URL; 414 beyond it.',
  },
  'limits.keys-per-request': {
    type: count(1, 1_000_000),
    fallback: 1_000,
    doc: 'Keys named in one request; 400 beyond it.',
  },
  'limits.key-bytes': {
    type: bytes(1, 65_536),
    fallback: 1_024,
    doc: 'UTF-8 bytes of a key; 400 beyond it.',
  },
  'limits.value-bytes': {
    // The store's own limit: the stored length of a value has 24 bits.
    type: bytes(1, 16 * MIB - 1),
    fallback: 8 * MIB,
    doc: 'UTF-8 bytes of a value without its white space; 413 beyond it.',
  },
  'limits.body-bytes': {
    type: bytes(1, 256 * MIB),
    fallback: 8 * MIB,
    doc: 'Bytes of a request body; 413 beyond it.',
  },
  'limits.body-bytes-in-flight': {
    type: bytes(0, MAX),
    fallback: 0,
    doc: 'Total bytes of the bodies in flight of more than 4 KiB, and of large answers not yet sent. Requests beyond it get 503 with `Retry-After`; 0 means a sixteenth of the memory of the machine or container.',
  },
  'limits.body-bytes-per-second': {
    type: bytes(0, MAX),
    fallback: KIB,
    doc: 'The lowest rate at which a body must arrive, once the time for the head is over; 408 below it, 0 means no limit.',
  },
  'limits.json-depth': {
    type: count(1, MAX_JSON_DEPTH),
    fallback: 200,
    doc: 'Nesting of a JSON value; 400 beyond it.',
  },
  'limits.oql-text-length': {
    type: count(1, 16 * MIB),
    fallback: DEFAULT_MAX_TEXT_LENGTH,
    doc: 'Characters of a query text; 400 when it is checked, 500 when it is run.',
  },
  'limits.oql-nesting': {
    // The compiler recurses over a query: deeper nesting could overflow the stack.
    type: count(1, 200),
    fallback: DEFAULT_MAX_NESTING,
    doc: 'Nesting of a query text.',
  },
  'limits.oql-placeholders': {
    type: count(1, 65_535),
    fallback: DEFAULT_MAX_PLACEHOLDERS,
    doc: 'The highest placeholder `$n` of a query text.',
  },
  'limits.idempotency-keep-ms': {
    type: count(1_000, MAX),
    fallback: 24 * 60 * 60 * 1000,
    doc: 'How long the answer to a request with an `Idempotency-Key` is kept for repeats.',
  },
  'limits.bulk-unpacked-bytes': {
    type: bytes(1, MAX),
    fallback: 16 * KIB * MIB,
    doc: 'Bytes that a compressed bulk load may unpack to; 413 beyond it. Other bodies have `limits.body-bytes`.',
  },
  'limits.bulk-atomic-items': {
    type: count(1, 1_000_000),
    fallback: 10_000,
    doc: 'Items of a bulk load with `atomic=true`; 413 beyond it. Its bytes are limited by `limits.body-bytes`.',
  },
};
