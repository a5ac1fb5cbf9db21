// The requests that Node's parser reads. Node announces every request of a packet
// at once; here each one waits until the request before it is answered. Otherwise a
// read would overtake the write before it. And a request that follows one whose
// answer closes the connection would be executed and never be answered.

import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { hasBody } from '../request/body.ts';
import { probeHalfClosed } from './half-closed.ts';
import { alwaysCloseLingering } from './lingering-close.ts';

type Serve = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

interface NodeExchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  /** The client sends the body after `100 Continue`, or after a while without it. */
  readonly expectsContinue: boolean;
}

/** Requests of one connection that wait for their turn; with more, the socket is not read. */
const MAX_QUEUED = 16;

/** The connection of a socket; a map of sockets would cost each request more. */
const CONNECTION: unique symbol = Symbol('connection');

type OwnedSocket = Socket & { [CONNECTION]?: NodeConnection };

export function serveNodeRequests(server: Server, serve: Serve): void {
  const take = (exchange: NodeExchange): void => {
    const socket: OwnedSocket = exchange.incoming.socket;
    socket[CONNECTION] ??= new NodeConnection(socket, serve);
    socket[CONNECTION].take(exchange);
  };
  const takePlain: Serve = (incoming, outgoing) =>
    take({ incoming, outgoing, expectsContinue: false });
  // Not in Node's documentation, but its server has always had it: without it, a client that closed
  // its half is cut off. A test fails if Node drops it.
  Object.assign(server, { httpAllowHalfOpen: true });
  server.on('request', takePlain);
  // An unknown expectation: head-limits.ts refuses it. Node would, without saying why.
  server.on('checkExpectation', takePlain);
  // By default Node sends `100 Continue` before the request is checked.
  server.on('checkContinue', (incoming, outgoing) =>
    take({ incoming, outgoing, expectsContinue: true }),
  );
}

/** The answer to the latest request that Node read from the connection. */
export function latestAnswer(socket: Socket): ServerResponse | undefined {
  return (socket as OwnedSocket)[CONNECTION]?.latest; // its one additional member
}

/** The answer that is being sent on the connection. */
export function currentAnswer(socket: Socket): ServerResponse | undefined {
  return (socket as OwnedSocket)[CONNECTION]?.current; // as above
}

class NodeConnection {
  readonly #socket: Socket;
  readonly #serve: Serve;
  #queue: NodeExchange[] = [];
  #isClientDone = false;
  current: ServerResponse | undefined;
  latest: ServerResponse | undefined;

  constructor(socket: Socket, serve: Serve) {
    this.#socket = socket;
    this.#serve = serve;
    alwaysCloseLingering(socket);
    socket.on('end', () => {
      this.#isClientDone = true;
      this.#probeHalfClosed();
    });
    // Reading the body of a request resumes the socket.
    socket.on('resume', () => this.#pauseIfFull());
  }

  take(exchange: NodeExchange): void {
    // An earlier answer closes the connection: the client sends this request again.
    if (!this.#socket.writable) return;
    this.latest = exchange.outgoing;
    // Node drops the bytes of the packet that follow an upgrade offer, so any request sent after it
    // is lost. The answer therefore closes the connection.
    if (exchange.incoming.headers.upgrade !== undefined) exchange.outgoing.shouldKeepAlive = false;
    if (this.current === undefined) this.#start(exchange);
    else {
      this.#queue.push(exchange);
      this.#pauseIfFull();
    }
  }

  #start({ expectsContinue, incoming, outgoing }: NodeExchange): void {
    this.current = outgoing;
    outgoing.once('close', () => this.#continue());
    if (this.#isClientDone) this.#probeHalfClosed();
    this.#serve(incoming, outgoing);
    if (expectsContinue && hasBody(incoming)) writeContinue(outgoing);
  }

  #continue(): void {
    this.current = undefined;
    // The answer closes the connection, or it is gone. See `take`.
    if (!this.#socket.writable) {
      this.#queue = [];
      return;
    }
    const next = this.#queue.shift();
    if (this.#queue.length === MAX_QUEUED - 1) this.#socket.resume();
    if (next !== undefined) this.#start(next);
  }

  #pauseIfFull(): void {
    if (this.#queue.length >= MAX_QUEUED && !this.#socket.isPaused()) this.#socket.pause();
  }

  #probeHalfClosed(): void {
    const { current } = this;
    if (current !== undefined) probeHalfClosed(this.#socket, () => writeContinue(current));
  }
}

/** Not needed once an answer has begun or is finished. HTTP/1.0 has no 100. */
function writeContinue(response: ServerResponse): void {
  if (response.headersSent) response.emit('half-closed');
  if (response.socket === null || response.headersSent) return;
  if (response.req.httpVersionMinor === 1) response.writeContinue();
}
