// A live query: its result, followed as it changes.

import { toRefusedError } from './client-error.ts';
import type { Codec } from './codec.ts';
import { followEvents, HEARTBEAT_SECONDS, type ServerEvent } from './event-stream.ts';
import { findMember, splitElements } from './json-elements.ts';
import type { ApiCall, Transport } from './transport.ts';

/** The identity of a row: a key, the keys of a join, the values of a group. */
export type RowId = string | readonly unknown[];

export interface LiveRow<Row, Id = RowId> {
  readonly id: Id;
  readonly row: Row;
}

export type LiveDelta<Row, Id = RowId> =
  | ({ readonly kind: 'enter' | 'update' } & LiveRow<Row, Id>)
  | { readonly kind: 'leave'; readonly id: Id };

/** Applying each gives the result as of its sequence. */
export type LiveEvent<Row, Id = RowId> =
  /** All rows. Invalidates earlier events. */
  | {
      readonly kind: 'snapshot';
      readonly rows: readonly LiveRow<Row, Id>[];
      readonly sequence: number;
    }
  /** The difference in the rows. */
  | {
      readonly kind: 'deltas';
      readonly deltas: readonly LiveDelta<Row, Id>[];
      readonly sequence: number;
    };

export interface LiveOptions {
  /** Seconds between heartbeats on the connection. */
  readonly heartbeatSeconds?: number | undefined;
}

/** How the texts of rows and of their ids are read. */
export interface RowCodec<Row, Id> {
  readonly codec: Codec<Row>;
  readonly parseId: (text: string) => Id;
}

/** The id as JavaScript values: numbers lose digits beyond 2^53. */
export function parseRowId(text: string): RowId {
  return JSON.parse(text) as RowId; // docs/http-api.md states it
}

/** Follows a live query over as many connections as necessary, without gaps or repetitions. */
export async function* followQuery<Row, Id>(
  transport: Transport,
  call: ApiCall,
  codec: RowCodec<Row, Id>,
  { heartbeatSeconds = HEARTBEAT_SECONDS }: LiveOptions,
): AsyncGenerator<LiveEvent<Row, Id>> {
  const heartbeat = `${call.path.includes('?') ? '&' : '?'}heartbeat=${heartbeatSeconds}`;
  const liveCall = { ...call, path: call.path + heartbeat };
  const reader = new LiveReader(codec);
  for await (const event of followEvents(transport, liveCall, { heartbeatSeconds })) {
    const liveEvent = reader.take(event);
    if (liveEvent !== undefined) yield liveEvent;
  }
}

/** Assembles the pieces of a snapshot, and the deltas of one sequence. */
class LiveReader<Row, Id> {
  readonly #codec: RowCodec<Row, Id>;
  #rows: LiveRow<Row, Id>[] | undefined;
  #deltas: LiveDelta<Row, Id>[] = [];

  constructor(codec: RowCodec<Row, Id>) {
    this.#codec = codec;
  }

  take(event: ServerEvent): LiveEvent<Row, Id> | undefined {
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
      this.#rows?.push({ id: this.#readId(text), row: this.#readRow(text) });
    }
  }

  /** After a difference for a reconnecting client there are no rows. */
  #finishRows({ data }: ServerEvent): LiveEvent<Row, Id> | undefined {
    const rows = this.#rows;
    this.#rows = undefined;
    return rows && { kind: 'snapshot', rows, sequence: readSequence(data) };
  }

  #takeDelta(
    kind: LiveDelta<Row>['kind'],
    { data, hasId }: ServerEvent,
  ): LiveEvent<Row, Id> | undefined {
    const id = this.#readId(data);
    this.#deltas.push(kind === 'leave' ? { kind, id } : { kind, id, row: this.#readRow(data) });
    if (!hasId) return undefined;
    const deltas = this.#deltas;
    this.#deltas = [];
    return { kind: 'deltas', deltas, sequence: readSequence(data) };
  }

  #readId(data: string): Id {
    return this.#codec.parseId(memberText(data, 'id'));
  }

  #readRow(data: string): Row {
    return this.#codec.codec.parse(memberText(data, 'row'));
  }
}

function toFailure(data: string): Error {
  const { status } = JSON.parse(data) as { status?: number }; // an error of the service
  return toRefusedError(status ?? 500, data, 0);
}

function readSequence(data: string): number {
  return Number(memberText(data, 'sequence'));
}

function memberText(data: string, name: string): string {
  return findMember(data, name) ?? 'null';
}
