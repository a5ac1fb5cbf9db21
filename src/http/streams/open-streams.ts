// All open long streams, and long polls, which wait in the same way. They have separate limits: a
// stream that waits for the next change needs a connection and little memory, but no work.

import type { Socket } from 'node:net';
import type { StreamFigures } from '../../observe/program-metrics.ts';
import { printAmount } from '../../value/print-amount.ts';
import { ANYONE, type Principal } from '../auth/principal.ts';
import { type RequestError, tooManyStreams } from '../errors.ts';
import type { StreamKind } from './long-stream.ts';
import type { OpenStream } from './open-stream.ts';

export interface OpenStreamLimits {
  readonly maxOpenStreams: number;
  /** Per login; requests without a login have no such limit. */
  readonly maxOpenStreamsPerLogin: number;
}

/** Permission to wait for changes; return it with `release`. */
interface WaitPermit {
  readonly release: () => void;
  /**
   * Aborted when the service is stopping, when logins are replaced, or when the login expires: a
   * waiting request is answered with what it has.
   */
  readonly ended: AbortSignal;
}

/** The view of the open streams that handlers have. */
export interface LongPolls {
  /** Aborted when the service is stopping. */
  readonly draining: AbortSignal;
  /** Takes a permit while a request waits; throws `request/too-many-streams`. */
  wait(kind: StreamKind, principal: Principal, socket: Socket | null): WaitPermit;
}

/** A stream, or a long poll. */
type Ending = Pick<OpenStream, 'end'>;

/** A delay beyond this would fire at once. */
const LONGEST_DELAY_MS = 2 ** 31 - 1;

export class OpenStreams implements LongPolls {
  readonly #limits: OpenStreamLimits;
  readonly #wallClock: () => number;
  readonly #inFlight: { beginWaiting(): void; endWaiting(): void };
  readonly #streams = new Set<Ending>();
  readonly #sockets = new WeakSet<Socket>();
  readonly #byLogin = new Map<string, number>();
  readonly #figures = new Map<StreamKind, { open: number; events: number }>([
    ['changes', { open: 0, events: 0 }],
    ['live', { open: 0, events: 0 }],
  ]);
  readonly #drain = new AbortController();
  #count = 0;

  constructor(
    limits: OpenStreamLimits,
    wallClock: () => number,
    inFlight: { beginWaiting(): void; endWaiting(): void },
  ) {
    this.#limits = limits;
    this.#wallClock = wallClock;
    this.#inFlight = inFlight;
  }

  get draining(): AbortSignal {
    return this.#drain.signal;
  }

  get figures(): readonly StreamFigures[] {
    return [...this.#figures].map(([kind, figures]) => ({ kind, ...figures }));
  }

  /** Whether a long stream or long poll is answered on this connection: it may be silent for long. */
  has(socket: Socket): boolean {
    return this.#sockets.has(socket);
  }

  wait(kind: StreamKind, principal: Principal, socket: Socket | null): WaitPermit {
    const release = this.admit(kind, principal);
    this.#inFlight.beginWaiting();
    const poll = new AbortController();
    const unregister = this.keep({ end: () => poll.abort() }, socket, principal);
    return {
      ended: poll.signal,
      release: () => {
        unregister();
        this.#inFlight.endWaiting();
        release();
      },
    };
  }

  /** Counts one more; returns a function that uncounts it. Throws `request/too-many-streams`. */
  admit(kind: StreamKind, principal: Principal): () => void {
    const { maxOpenStreams, maxOpenStreamsPerLogin } = this.#limits;
    const login = principal === ANYONE ? undefined : principal.login;
    const loginStreams = login === undefined ? 0 : (this.#byLogin.get(login) ?? 0);
    if (this.#count >= maxOpenStreams) throw refusal(maxOpenStreams, 'of all clients');
    if (loginStreams >= maxOpenStreamsPerLogin) {
      throw refusal(maxOpenStreamsPerLogin, 'of this login');
    }
    this.#count += 1;
    if (login !== undefined) this.#byLogin.set(login, loginStreams + 1);
    const figures = this.#figures.get(kind);
    if (figures !== undefined) figures.open += 1;
    return () => {
      this.#count -= 1;
      if (login !== undefined) this.#uncountLogin(login);
      if (figures !== undefined) figures.open -= 1;
    };
  }

  countEvents(kind: StreamKind, events: number): void {
    const figures = this.#figures.get(kind);
    if (figures !== undefined) figures.events += events;
  }

  /** Registers the stream until the returned function is called; expiry of its login ends it. */
  keep(stream: Ending, socket: Socket | null, { expiresMs }: Principal): () => void {
    this.#streams.add(stream);
    if (socket !== null) this.#sockets.add(socket);
    let timer: NodeJS.Timeout | undefined;
    const watch = (expiry: number): void => {
      const leftMs = expiry - this.#wallClock();
      if (leftMs <= 0) stream.end('login');
      else timer = setTimeout(() => watch(expiry), Math.min(leftMs, LONGEST_DELAY_MS)).unref();
    };
    if (expiresMs !== undefined) watch(expiresMs);
    if (this.#drain.signal.aborted) stream.end('draining');
    return () => {
      clearTimeout(timer);
      this.#streams.delete(stream);
      if (socket !== null) this.#sockets.delete(socket);
    };
  }

  /** Asks all clients to reconnect, so that their permissions are checked again. */
  endForLogins(): void {
    for (const stream of [...this.#streams]) stream.end('login');
  }

  /** Ends all of them, now and from now on. Safe to call twice. */
  endForDrain(): void {
    this.#drain.abort();
    for (const stream of [...this.#streams]) stream.end('draining');
  }

  #uncountLogin(login: string): void {
    const left = (this.#byLogin.get(login) ?? 0) - 1;
    if (left > 0) this.#byLogin.set(login, left);
    else this.#byLogin.delete(login);
  }
}

function refusal(max: number, whose: string): RequestError {
  const one = `feed or live query ${whose} is open`;
  return tooManyStreams(printAmount(max, one, `feeds and live queries ${whose} are open`));
}
