// A consumer of live queries in tests: it applies events like a client, and records all of them.

import assert from 'node:assert/strict';

/** One event, in either format. */
export interface SeenEvent {
  readonly event: string;
  readonly id?: string | undefined;
  readonly data: {
    readonly rows?: readonly { readonly id: unknown; readonly row: unknown }[];
    readonly reset?: true;
    readonly id?: unknown;
    readonly row?: unknown;
    readonly sequence?: number;
    readonly code?: string;
  };
}

export class LiveClient implements Disposable {
  readonly answer: Response;
  readonly seen: SeenEvent[] = [];
  /** Rows by the JSON of their ids. */
  readonly rows: Map<string, unknown> = new Map();
  /** The last event id. */
  lastId: string | undefined;
  sequence = 0;
  text = '';
  isEnded = false;
  readonly #abort: AbortController;
  readonly #isLines: boolean;
  readonly #reader: ReadableStreamDefaultReader<string> | undefined;
  #rest = '';
  readonly #events: SeenEvent[] = [];

  static async open(address: string, init: RequestInit = {}): Promise<LiveClient> {
    const abort = new AbortController();
    const answer = await fetch(address, { ...init, signal: abort.signal });
    return new LiveClient(answer, abort);
  }

  private constructor(answer: Response, abort: AbortController) {
    this.answer = answer;
    this.#abort = abort;
    this.#isLines = answer.headers.get('content-type') === 'application/x-ndjson';
    this.#reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  }

  /** Reads and applies the next event; undefined at the end. */
  async next(): Promise<SeenEvent | undefined> {
    while (this.#events.length === 0 && !this.isEnded) await this.#read();
    const event = this.#events.shift();
    if (event !== undefined) this.#apply(event);
    return event;
  }

  /** Reads until its rows are the result as of a sequence. */
  async until(sequence: number): Promise<void> {
    while (this.sequence < sequence) {
      assert.ok((await this.next()) !== undefined, `the stream ended: ${this.text.slice(-500)}`);
    }
  }

  /** Reads the events up to `ready`. */
  async begin(): Promise<readonly SeenEvent[]> {
    const events: SeenEvent[] = [];
    while (events.at(-1)?.event !== 'ready') {
      const event = await this.next();
      assert.ok(event !== undefined, `the stream ended: ${this.text.slice(-500)}`);
      events.push(event);
    }
    return events;
  }

  [Symbol.dispose](): void {
    this.#abort.abort();
  }

  async #read(): Promise<void> {
    const piece = await this.#reader?.read();
    if (piece === undefined || piece.done) {
      this.isEnded = true;
      return;
    }
    this.text += piece.value;
    this.#rest += piece.value;
    const parts = this.#rest.split(this.#isLines ? '\n' : '\n\n');
    this.#rest = parts.pop() ?? '';
    for (const part of parts) this.#take(part);
  }

  #take(part: string): void {
    if (this.#isLines) {
      if (part === '') return;
      const { event = 'other', ...data } = JSON.parse(part);
      this.#events.push({ event, data });
      return;
    }
    const find = (name: string): string | undefined =>
      new RegExp(`^${name}: (.*)$`, 'm').exec(part)?.[1];
    const id = find('id');
    if (id !== undefined) this.lastId = id;
    const data = find('data');
    if (data !== undefined) {
      this.#events.push({ event: find('event') ?? 'message', id, data: JSON.parse(data) });
    }
  }

  #apply(seen: SeenEvent): void {
    this.seen.push(seen);
    const { event, data } = seen;
    if (data.reset === true) this.rows.clear();
    for (const { id, row } of data.rows ?? []) this.rows.set(JSON.stringify(id), row);
    if (event === 'leave') this.rows.delete(JSON.stringify(data.id));
    else if (event === 'enter' || event === 'update')
      this.rows.set(JSON.stringify(data.id), data.row);
    // Only the last delta of a sequence has an id.
    const isPlace = this.#isLines || seen.id !== undefined;
    if (data.sequence !== undefined && isPlace) this.sequence = data.sequence;
  }
}
