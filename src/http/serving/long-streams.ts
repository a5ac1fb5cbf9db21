// Sends endless answers. The request is finished when the head is written: the stream does not
// count as in flight, and is reported when it ends.

import type { Observe } from '../../observe/observation.ts';
import type { IncomingRequest } from '../request/incoming-request.ts';
import type { ApiResponse } from '../response/api-response.ts';
import { errorCode } from '../response/error-response.ts';
import type { Outgoing } from '../response/outgoing.ts';
import { DATA_HEADERS } from '../security/security-headers.ts';
import type { LongStream } from '../streams/long-stream.ts';
import { type Failure, OpenStream } from '../streams/open-stream.ts';
import type { OpenStreams } from '../streams/open-streams.ts';
import { STREAM_TYPES } from '../streams/stream-form.ts';
import type { ErrorFunnel } from './error-funnel.ts';

export interface LongStreamParts {
  readonly openStreams: OpenStreams;
  readonly funnel: ErrorFunnel;
  readonly observe: Observe;
  readonly now: () => number;
}

export interface LongAnswer {
  readonly response: ApiResponse;
  readonly stream: LongStream;
  /** Call it when the stream has ended. */
  readonly release: () => void;
}

export class LongStreams {
  readonly #parts: LongStreamParts;

  constructor(parts: LongStreamParts) {
    this.#parts = parts;
  }

  /** Throws `request/too-many-streams`. */
  admit(response: ApiResponse, stream: LongStream, { principal }: IncomingRequest): LongAnswer {
    return { response, stream, release: this.#parts.openStreams.admit(stream.kind, principal) };
  }

  /** Writes the head at once, then sends until the end. */
  async send(
    { release, response, stream }: LongAnswer,
    request: IncomingRequest,
    outgoing: Outgoing,
  ): Promise<void> {
    const { now, observe, openStreams } = this.#parts;
    const started = now();
    const { kind } = stream;
    const sent = { events: 0, bytes: 0 };
    const openStream = new OpenStream({
      stream,
      outgoing,
      describeFailure: (error) => this.#describeFailure(error, request),
      onSent: (events, bytes) => {
        sent.events += events;
        sent.bytes += bytes;
        openStreams.countEvents(kind, events);
      },
    });
    // Buffering proxies would delay events.
    const headers = ['X-Accel-Buffering', 'no', 'X-Request-Id', request.id, ...DATA_HEADERS];
    const type = STREAM_TYPES[stream.form];
    outgoing.writeHead(response.status, ['Content-Type', type, ...response.headers, ...headers]);
    const unregister = openStreams.keep(openStream, outgoing.socket, request.principal);
    const cause = await openStream.run();
    unregister();
    release();
    const ms = now() - started;
    observe({ kind: 'stream-ended', requestId: request.id, stream: kind, cause, ...sent, ms });
  }

  #describeFailure(error: unknown, request: IncomingRequest): Failure {
    const { body } = this.#parts.funnel.toResponse(error, request);
    const json = typeof body === 'string' ? body : '{}';
    return errorCode(error) === 'grid/changes-gone'
      ? { event: 'gone', json, end: 'fell-behind' }
      : { event: 'failed', json, end: 'failed' };
  }
}
