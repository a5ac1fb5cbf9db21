// Events of a live query as they are sent. Only an event after which the client's rows are those of
// one sequence has an id that the client can resume from.

import type { LiveEvent } from '../../grid/index.ts';
import type { StreamPiece } from './long-stream.ts';
import { printEvent, type StreamForm } from './stream-form.ts';

type Deltas = Extract<LiveEvent, { readonly kind: 'deltas' }>;
type Delta = Deltas['deltas'][number];

/**
 * The id of the first piece of a snapshot: no sequence is 0. A client whose connection breaks
 * before the snapshot is complete resumes with it, and gets a new snapshot.
 */
const INCOMPLETE = '0';

/** Characters of one piece. */
const PIECE_SIZE = 64 * 1024;

export class LivePrinter {
  readonly #form: StreamForm;
  /** The id of the last event that had one. */
  #resumeId: string | undefined;
  /** Whether the first piece of a snapshot was printed, and its end was not. */
  #isWithinSnapshot = false;

  constructor(form: StreamForm, resumeAt: number | undefined) {
    this.#form = form;
    this.#resumeId = resumeAt === undefined ? undefined : String(resumeAt);
  }

  /** The id with which a client resumes after everything printed so far. */
  get resumeId(): string | undefined {
    return this.#resumeId;
  }

  *print(event: LiveEvent): Generator<StreamPiece> {
    switch (event.kind) {
      case 'snapshot': {
        const rows = event.rows.map(({ id, row }) => `{"id":${id},"row":${row}}`).join();
        const reset = event.isReset ? '"reset":true,' : '';
        const id = this.#isWithinSnapshot ? undefined : INCOMPLETE;
        this.#isWithinSnapshot = true;
        yield this.#piece('snapshot', `${reset}"rows":[${rows}]`, id);
        return;
      }
      case 'ready':
        this.#isWithinSnapshot = false;
        yield this.#piece('ready', `"sequence":${event.sequence}`, String(event.sequence));
        return;
      case 'deltas':
        yield* this.#printDeltas(event);
    }
  }

  *#printDeltas({ deltas, sequence }: Deltas): Generator<StreamPiece> {
    let bytes = '';
    let events = 0;
    for (const [index, delta] of deltas.entries()) {
      const isLast = index === deltas.length - 1;
      const id = isLast ? String(sequence) : undefined;
      bytes += this.#event(delta.kind, printDelta(delta, sequence), id);
      events += 1;
      if (!isLast && bytes.length < PIECE_SIZE) continue;
      this.#resumeId = id ?? this.#resumeId;
      yield { bytes, events, lastId: id };
      bytes = '';
      events = 0;
    }
  }

  /** A single event. */
  #piece(name: string, members: string, id: string | undefined): StreamPiece {
    this.#resumeId = id ?? this.#resumeId;
    return { bytes: this.#event(name, members, id), events: 1, lastId: id };
  }

  #event(name: string, members: string, id: string | undefined): string {
    const json = this.#form === 'ndjson' ? `{"event":"${name}",${members}}` : `{${members}}`;
    return printEvent(this.#form, { name, json, id });
  }
}

function printDelta(delta: Delta, sequence: number): string {
  const row = 'row' in delta ? `"row":${delta.row},` : '';
  return `"id":${delta.id},${row}"sequence":${sequence}`;
}
