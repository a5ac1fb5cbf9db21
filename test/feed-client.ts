// Reads change feeds in tests, event by event.

import assert from 'node:assert/strict';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';

export interface FeedEvent {
  readonly event: string | undefined;
  readonly id: string | undefined;
  readonly data: string | undefined;
  /** The whole block, or line, as it was sent. */
  readonly text: string;
}

export interface SeenChange {
  readonly sequence: number;
  readonly time: string;
  readonly region: string;
  readonly op: string;
  readonly key?: string;
  readonly version: number;
  readonly value?: unknown;
  readonly superseded?: true;
  readonly old?: unknown;
  readonly 'old-gone'?: true;
}

export interface FeedOptions {
  readonly port: number;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export class FeedClient implements Disposable {
  readonly response: IncomingMessage;
  /** All received text. */
  text = '';
  isEnded = false;
  readonly #request: ClientRequest;
  readonly #separator: string;
  #rest = '';
  readonly #blocks: string[] = [];
  #onNews: () => void = () => undefined;

  /** Resolves with the head; `accept` determines the format. */
  static open(accept: string, { headers, path, port }: FeedOptions): Promise<FeedClient> {
    return new Promise((resolve, reject) => {
      const sent = request({
        host: '127.0.0.1',
        port,
        path,
        agent: false,
        headers: { Accept: accept, ...headers },
      });
      sent.on('error', reject);
      sent.on('response', (response) => resolve(new FeedClient(sent, response)));
      sent.end();
    });
  }

  private constructor(sent: ClientRequest, response: IncomingMessage) {
    this.#request = sent;
    this.response = response;
    const isEvents = response.headers['content-type']?.includes('event-stream') === true;
    this.#separator = isEvents ? '\n\n' : '\n';
    response.setEncoding('utf8');
    response.on('data', (piece: string) => this.#take(piece));
    const end = (): void => {
      this.isEnded = true;
      this.#onNews();
    };
    response.on('end', end);
    response.on('error', end);
    sent.on('error', end);
  }

  get status(): number | undefined {
    return this.response.statusCode;
  }

  /** The next block or line, heartbeats included; undefined at the end. */
  async next(): Promise<FeedEvent | undefined> {
    while (this.#blocks.length === 0 && !this.isEnded) {
      await new Promise<void>((resolve) => {
        this.#onNews = resolve;
      });
    }
    const text = this.#blocks.shift();
    return text === undefined ? undefined : toEvent(text, this.#separator);
  }

  /** The next event with data. */
  async event(): Promise<FeedEvent | undefined> {
    for (let event = await this.next(); event !== undefined; event = await this.next()) {
      if (event.data !== undefined) return event;
    }
    return undefined;
  }

  async change(): Promise<SeenChange> {
    const event = await this.event();
    assert.ok(event?.data !== undefined, `the feed ended: ${this.text.slice(-500)}`);
    return JSON.parse(event.data);
  }

  async changes(count: number): Promise<readonly SeenChange[]> {
    const changes: SeenChange[] = [];
    while (changes.length < count) changes.push(await this.change());
    return changes;
  }

  [Symbol.dispose](): void {
    this.#request.destroy();
  }

  #take(piece: string): void {
    this.text += piece;
    this.#rest += piece;
    const parts = this.#rest.split(this.#separator);
    this.#rest = parts.pop() ?? '';
    this.#blocks.push(...parts);
    this.#onNews();
  }
}

function toEvent(text: string, separator: string): FeedEvent {
  if (separator === '\n') {
    return { text, data: text === '' ? undefined : text, event: undefined, id: undefined };
  }
  const find = (name: string): string | undefined =>
    text
      .split('\n')
      .find((line) => line.startsWith(`${name}: `))
      ?.slice(name.length + 2);
  return { text, event: find('event'), id: find('id'), data: find('data') };
}
