// How events look on a long stream, in each of its forms.
//
//   text/event-stream       event: put             application/x-ndjson   {"op":"put",…}
//                           id: 17
//                           data: {"op":"put",…}
//
// A sign of life is a comment line in the one and an empty line in the other. A stream that the
// service ends says when to come back, and one that fails says why.

export type StreamForm = 'event-stream' | 'ndjson';

const EVENT_STREAM_TYPE = 'text/event-stream';
const NDJSON_TYPE = 'application/x-ndjson';

export const STREAM_TYPES: Readonly<Record<StreamForm, string>> = {
  'event-stream': EVENT_STREAM_TYPE,
  ndjson: NDJSON_TYPE,
};

/** How long a client should wait before it connects again. */
const RETRY_MS = 2_000;

export interface StreamEvent {
  /** For `event:`; NDJSON has it as a member of `json`, where it is wanted. */
  readonly name: string;
  /** Compact JSON, without line breaks. */
  readonly json: string;
  /** A place to resume from, where this event is one. */
  readonly id?: string | undefined;
}

export function printEvent(form: StreamForm, { id, json, name }: StreamEvent): string {
  if (form === 'ndjson') return `${json}\n`;
  return id === undefined
    ? `event: ${name}\ndata: ${json}\n\n`
    : `event: ${name}\nid: ${id}\ndata: ${json}\n\n`;
}

/**
 * The first bytes of a stream. An id without data is no event, but from then on the client knows
 * where to resume, although nothing has come yet.
 */
export function printOpening(form: StreamForm, place: string | undefined): string {
  if (form === 'ndjson') return '';
  return place === undefined ? `retry: ${RETRY_MS}\n\n` : `retry: ${RETRY_MS}\nid: ${place}\n\n`;
}

/** A sign of life; with the place, when that has moved on without an event. */
export function printHeartbeat(form: StreamForm, place: string | undefined): string {
  if (form === 'ndjson') return '\n';
  return place === undefined ? ': heartbeat\n\n' : `: heartbeat\nid: ${place}\n\n`;
}

/** The last bytes of a stream that the service ends, not the client: come again. */
export function printRetry(form: StreamForm, place: string | undefined): string {
  if (form === 'event-stream') return printOpening(form, place);
  const since = place === undefined ? '' : `,"since":${JSON.stringify(place)}`;
  return `{"@retry":{"after-ms":${RETRY_MS}${since}}}\n`;
}

/** The last bytes of a stream that cannot go on; `error` is the JSON of an error answer. */
export function printFailure(form: StreamForm, name: string, error: string): string {
  return form === 'ndjson' ? `{"@error":${error}}\n` : `event: ${name}\ndata: ${error}\n\n`;
}
