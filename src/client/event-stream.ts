// Server-sent events over `fetch`, which unlike a browser's `EventSource` can send logins and
// bodies. A stream that breaks, ends or stalls is reopened from the last id; a permanent refusal of
// the service ends it.

import { CutShortError, UnavailableError, UnreachableError } from './client-error.ts';
import type { ApiCall, Transport } from './transport.ts';

export interface ServerEvent {
  readonly name: string;
  readonly data: string;
  /** The last id that was given, with this event or before it. */
  readonly lastId: string | undefined;
  /** Whether this event has its own id: it is a position to resume from. */
  readonly hasId: boolean;
}

/** Takes text as it arrives and returns complete events. */
export class EventParser {
  /** Of the last complete event: an event that breaks off must come again. */
  lastId: string | undefined;
  /** The wait between attempts that the service requests; the first attempts come sooner. */
  retryMs: number | undefined;
  #rest = '';
  /** The rest ends with a carriage return, which a line feed may follow. */
  #isBreakOpen = false;
  #name = '';
  #data: string[] = [];
  /** The id of the event that is being read: null if it resets the last id. */
  #id: string | null | undefined;

  push(text: string): readonly ServerEvent[] {
    // A long line is split once, not once for each of its pieces.
    if (!this.#isBreakOpen && !/[\r\n]/.test(text)) {
      this.#rest += text;
      return [];
    }
    const events: ServerEvent[] = [];
    // A line break that may continue in the next piece is left for it.
    const lines = (this.#rest + text).split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop() ?? '';
    this.#isBreakOpen = this.#rest.endsWith('\r');
    for (const line of lines) {
      if (line !== '') this.#readField(line);
      else events.push(...this.#finish());
    }
    return events;
  }

  #readField(line: string): void {
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'event') this.#name = value;
    else if (field === 'data') this.#data.push(value);
    else if (field === 'retry' && /^\d+$/.test(value)) this.retryMs = Number(value);
    else if (field === 'id') this.#id = value === '' ? null : value;
  }

  /** The event that an empty line completes; none if it has no data, as a heartbeat has not. */
  #finish(): readonly ServerEvent[] {
    const hasId = this.#id !== undefined;
    if (hasId) this.lastId = this.#id ?? undefined;
    const event = {
      name: this.#name === '' ? 'message' : this.#name,
      data: this.#data.join('\n'),
      lastId: this.lastId,
      hasId,
    };
    const isEvent = this.#data.length > 0;
    this.#name = '';
    this.#data = [];
    this.#id = undefined;
    return isEvent ? [event] : [];
  }
}

export interface FollowOptions {
  /** Seconds between heartbeats; after three missed ones the connection counts as broken. */
  readonly heartbeatSeconds: number;
  /** An event of this name ends the connection, and the client reconnects. */
  readonly reconnectOn?: string;
}

/** Default of `heartbeatSeconds`. */
export const HEARTBEAT_SECONDS = 15;
const FIRST_RETRY_MS = 100;
/** Maximum wait between attempts, unless the service requests another. */
const LONGEST_RETRY_MS = 2_000;
const LOST_HEARTBEATS = 3;

/**
 * Endless events, over as many connections as necessary; each begins with an event `open`. The
 * first connection fails as any call does; later ones are tried until they succeed or are refused.
 */
export async function* followEvents(
  transport: Transport,
  call: ApiCall,
  options: FollowOptions,
): AsyncGenerator<ServerEvent> {
  let lastId: string | undefined;
  let retryMs = FIRST_RETRY_MS;
  let isFirst = true;
  for (;;) {
    const parser = new EventParser();
    parser.lastId = lastId;
    try {
      for await (const event of readEvents(transport, call, parser, options)) {
        isFirst = false;
        if (event.name !== 'open') retryMs = FIRST_RETRY_MS;
        yield event;
      }
    } catch (error) {
      if (isFirst || !isTransient(error)) throw error;
    }
    lastId = parser.lastId;
    await transport.pause(retryMs, call);
    retryMs = Math.min(2 * retryMs, parser.retryMs ?? LONGEST_RETRY_MS);
  }
}

/** The events of one connection. */
async function* readEvents(
  transport: Transport,
  call: ApiCall,
  parser: EventParser,
  { heartbeatSeconds, reconnectOn }: FollowOptions,
): AsyncGenerator<ServerEvent> {
  const { lastId } = parser;
  const resume = lastId === undefined ? {} : { 'last-event-id': lastId };
  const headers = { accept: 'text/event-stream, application/problem+json', ...resume };
  const silenceMs = 1000 * heartbeatSeconds * LOST_HEARTBEATS;
  let isOpen = false;
  for await (const text of transport.pieces({ ...call, headers, isRepeatable: true }, silenceMs)) {
    if (!isOpen) yield { name: 'open', data: '', lastId, hasId: false };
    isOpen = true;
    for (const event of parser.push(text)) {
      if (event.name === reconnectOn) return;
      yield event;
    }
  }
}

function isTransient(error: unknown): boolean {
  return (
    error instanceof CutShortError ||
    error instanceof UnreachableError ||
    error instanceof UnavailableError
  );
}
