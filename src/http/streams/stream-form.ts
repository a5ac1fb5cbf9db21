// How events look on a long stream, in each of its forms.
//
//   text/event-stream       event: put             application/x-ndjson   {"op":"put",…}
//                           id: 17
//                           data: {"op":"put",…}
//
// A heartbeat is a comment line in the first form and an empty line in the second. A stream that
// the service ends says when to reconnect, and one that fails says why.

import { NDJSON_TYPE } from '../response/media-types.ts';

export type StreamForm = 'event-stream' | 'ndjson';

/** Server-sent events first: the default for a client without a preference. */
export const STREAM_TYPES: Readonly<Record<StreamForm, string>> = {
  'event-stream': 'text/event-stream',
  ndjson: NDJSON_TYPE,
};

/** How long a client should wait before it reconnects. */
const RETRY_MS = 2_000;

export interface StreamEvent {
  /** For `event:`; NDJSON has it as a member of `json`, if needed. */
  readonly name: string;
  /** Compact JSON, without line breaks. */
  readonly json: string;
  /** Present if a client can resume after this event. */
  readonly id?: string | undefined;
}

export function printEvent(form: StreamForm, { id, json, name }: StreamEvent): string {
  if (form === 'ndjson') return `${json}\n`;
  return id === undefined
    ? `event: ${name}\ndata: ${json}\n\n`
    : `event: ${name}\nid: ${id}\ndata: ${json}\n\n`;
}

/**
 * The first bytes of a stream. An id without data is not an event, but lets the client resume
 * before the first event.
 */
export function printOpening(form: StreamForm, id: string | undefined): string {
  if (form === 'ndjson') return '';
  return id === undefined ? `retry: ${RETRY_MS}\n\n` : `retry: ${RETRY_MS}\nid: ${id}\n\n`;
}

/** A heartbeat; with the id, if that changed without an event. */
export function printHeartbeat(form: StreamForm, id: string | undefined): string {
  if (form === 'ndjson') return '\n';
  return id === undefined ? ': heartbeat\n\n' : `: heartbeat\nid: ${id}\n\n`;
}

/** The last bytes of a stream that the service ends: the client should reconnect. */
export function printRetry(form: StreamForm, id: string | undefined): string {
  if (form === 'event-stream') return printOpening(form, id);
  const since = id === undefined ? '' : `,"since":${JSON.stringify(id)}`;
  return `{"@retry":{"after-ms":${RETRY_MS}${since}}}\n`;
}

/** The last bytes of a stream that failed; `error` is the JSON of an error answer. */
export function printFailure(form: StreamForm, name: string, error: string): string {
  return form === 'ndjson' ? `{"@error":${error}}\n` : `event: ${name}\ndata: ${error}\n\n`;
}
