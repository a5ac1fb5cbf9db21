// A live query: its result, followed as it changes.

import { toRefusedError } from './client-error.ts';
import type { Codec } from './codec.ts';
import { followEvents, type ServerEvent } from './event-stream.ts';
import { findMember, splitElements } from './json-elements.ts';
import type { ApiCall, Transport } from './transport.ts';

/** The identity of a row: a key, the keys of a join, the values of a group. */
export type RowId = string | readonly unknown[];

export interface LiveRow<Row> {
  readonly id: RowId;
  readonly row: Row;
}

export type LiveDelta<Row> =
  | ({ readonly kind: 'enter' | 'update' } & LiveRow<Row>)
  | { readonly kind: 'leave'; readonly id: RowId };

/** Applying each gives the result as of its sequence. */
export type LiveEvent<Row> =
  /** All rows. Invalidates earlier events. */
  | { readonly kind: 'snapshot'; readonly rows: readonly LiveRow<Row>[]; readonly sequence: number }
  /** The difference in the rows. */
  | {
      readonly kind: 'deltas';
      readonly deltas: readonly LiveDelta<Row>[];
      readonly sequence: number;
    };

export interface LiveOptions {
  /** Seconds between heartbeats on the connection. */
  readonly heartbeatSeconds?: number | undefined;
}

const HEARTBEAT_SECONDS = 15;

/** Follows a live query over as many connections as necessary, without gaps or repetitions. */
export async function* followQuery<Row>(
  transport: Transport,
  call: ApiCall,
  codec: Codec<Row>,
  { heartbeatSeconds = HEARTBEAT_SECONDS }: LiveOptions,
): AsyncGenerator<LiveEvent<Row>> {
  const heartbeat = `${call.path.includes('?') ? '&' : '?'}heartbeat=${heartbeatSeconds}`;
  const followed = { ...call, path: call.path + heartbeat };
  const reader = new LiveReader(codec);
  for await (const event of followEvents(transport, followed, { heartbeatSeconds })) {
    const whole = reader.take(event);
    if (whole !== undefined) yield whole;
  }
}

/** Assembles the pieces of a snapshot, and the deltas of one sequence. */
class LiveReader<Row> {
  readonly #codec: Codec<Row>;
  #rows: LiveRow<Row>[] | undefined;
  #deltas: LiveDelta<Row>[] = [];

  constructor(codec: Codec<Row>) {
    this.#codec = codec;
  }

  take(event: ServerEvent): LiveEvent<Row> | undefined {
    switch (event.name) {
      case 'open':
        // Incomplete events of the last connection are sent again.
        this.#rows = undefined;
        this.#deltas = [];
        return undefined;
      case 'snapshot':
        return this.#takeRows(event);
      case 'ready':
        return this.#finishRows(event);
      case 'enter':
      case 'update':
      case 'leave':
        return this.#takeDelta(event.name, event);
      case 'failed':
        throw toFailure(event.data);
      default:
        return undefined;
    }
  }

  #takeRows({ data, hasId }: ServerEvent): undefined {
    // The first piece of every snapshot has an id.
    if (hasId) this.#rows = [];
    for (const text of splitElements(memberText(data, 'rows'))) {
      this.#rows?.push({ id: readId(text), row: this.#codec.parse(memberText(text, 'row')) });
    }
  }

  /** After a difference for a reconnecting client there are no rows. */
  #finishRows({ data }: ServerEvent): LiveEvent<Row> | undefined {
    const rows = this.#rows;
    this.#rows = undefined;
    return rows && { kind: 'snapshot', rows, sequence: readSequence(data) };
  }

  #takeDelta(
    kind: LiveDelta<Row>['kind'],
    { data, hasId }: ServerEvent,
  ): LiveEvent<Row> | undefined {
    const id = readId(data);
    this.#deltas.push(
      kind === 'leave'
        ? { kind, id }
        : { kind, id, row: this.#codec.parse(memberText(data, 'row')) },
    );
    if (!hasId) return undefined;
    const deltas = this.#deltas;
    this.#deltas = [];
    return { kind: 'deltas', deltas, sequence: readSequence(data) };
  }
}

function toFailure(data: string): Error {
  const { status } = JSON.parse(data) as { status?: number }; // an error of the service
  return toRefusedError(status ?? 500, data, 0);
}

function readId(data: string): RowId {
  return JSON.parse(memberText(data, 'id')) as RowId; // docs/http-api.md states it
}

function readSequence(data: string): number {
  return Number(memberText(data, 'sequence'));
}

function memberText(data: string, name: string): string {
  return findMember(data, name) ?? 'null';
}
