// The requests that Node's parser reads, with what a client may ask for besides
// an answer: to be told to go on, and to be answered after it closed its half.

import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { askWhetherThere } from './half-closed.ts';

/** The answer to the latest request of a connection; a map of sockets would cost each request more. */
const LATEST: unique symbol = Symbol('latest answer');

type AnsweringSocket = Socket & { [LATEST]?: ServerResponse };

export function serveNodeRequests(
  server: Server,
  serve: (incoming: IncomingMessage, outgoing: ServerResponse) => void,
): void {
  const take = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const socket: AnsweringSocket = incoming.socket;
    if (socket[LATEST] === undefined) {
      socket.on('end', () => askWhetherThere(socket, () => writeContinue(socket[LATEST])));
    }
    socket[LATEST] = outgoing;
    serve(incoming, outgoing);
  };
  // Not in Node's documentation, but its server has always had it: without it, a client that
  // closed its half is cut off. Tests tell when it goes.
  Object.assign(server, { httpAllowHalfOpen: true });
  server.on('request', take);
  // Expects what nobody knows; head-limits.ts refuses it. Node would, without saying why.
  server.on('checkExpectation', take);
  server.on('checkContinue', (incoming, outgoing) => {
    take(incoming, outgoing);
    // Node, left to itself, says so before the request is looked at. And where an answer before
    // is still under way, it would send this one's head, `100 Continue`, and then the body.
    if (outgoing.socket === null) outgoing.once('socket', () => writeContinue(outgoing));
    else writeContinue(outgoing);
  });
}

/** The answer to the latest request that Node read from the connection. */
export function latestAnswer(socket: Socket): ServerResponse | undefined {
  return (socket as AnsweringSocket)[LATEST]; // its one additional member
}

/** An answer that has begun, or whose turn has not come, needs none. HTTP/1.0 knows no 100. */
function writeContinue(response: ServerResponse | undefined): void {
  if (response === undefined || response.socket === null || response.headersSent) return;
  if (response.req.httpVersionMinor === 1) response.writeContinue();
}
