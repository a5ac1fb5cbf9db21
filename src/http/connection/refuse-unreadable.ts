// Handles input that is not a request: the parser refused it, it did not arrive in time, or it is a
// CONNECT. It gets an error answer if one can still be sent. Then the connection is closed, because
// further bytes cannot be trusted.

import { type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import {
  headersTooLarge,
  malformed,
  methodNotAllowed,
  RequestError,
  requestTimeout,
  urlTooLong,
} from '../errors.ts';
import { BODY_CUT } from '../request/body-pieces.ts';
import { errorResponse } from '../response/error-response.ts';
import { METHODS } from '../router.ts';
import { DATA_HEADERS } from '../security/security-headers.ts';
import type { DirectListener } from './direct/direct-listener.ts';
import { closeLingering, ignoreSocketError, isClosing } from './lingering-close.ts';
import { currentAnswer, latestAnswer } from './node-requests.ts';

/** Node's errors for requests that it could not parse. */
type ParserError = Error & { readonly code?: string; readonly rawPacket?: Buffer };

export interface RefusalOptions {
  readonly maxUrlBytes: number;
  /**
   * Knows which request lines were too long before the handover; absent if Node reads everything.
   */
  readonly direct: DirectListener | undefined;
  /** Connections on which a body may take as long as it needs. */
  readonly longBodies: WeakSet<Socket>;
}

/** The methods that a client may send instead of CONNECT. */
const INSTEAD_OF_CONNECT = [...METHODS, 'OPTIONS'];
const CLOSE = ['Connection', 'close'];

/** Answers input that is not a request. */
export function refuseUnreadable(server: Server, options: RefusalOptions): void {
  const { direct, longBodies, maxUrlBytes } = options;
  /** Connections that were refused: each gets one answer. */
  const refused = new WeakSet<Socket>();
  const nameLongLine = (error: ParserError, socket: Socket): ParserError => {
    const isLongLine =
      error.code === 'HPE_HEADER_OVERFLOW' && direct?.hasLongLine(socket, error.rawPacket) === true;
    return isLongLine ? urlTooLong(maxUrlBytes) : error;
  };
  const refuse = (error: ParserError, socket: Socket): void => {
    if (refused.has(socket) || isClosing(socket)) return;
    refused.add(socket);
    refuseInTurn(nameLongLine(error, socket), socket, latestAnswer(socket));
  };
  server.on('clientError', (error: ParserError, stream) => {
    const socket = stream as Socket; // a server on TCP has no other streams
    // Node reports this once and continues. Such a body has a minimum rate, but no time limit.
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && longBodies.has(socket)) return;
    refuse(error, socket);
  });
  server.on('connect', (_, stream) => {
    const socket = stream as Socket; // as above
    // Node detaches the socket, while answers to earlier requests may still be in progress.
    socket.on('drain', () => currentAnswer(socket)?.emit('drain'));
    socket.on('error', ignoreSocketError);
    refuse(methodNotAllowed('CONNECT', INSTEAD_OF_CONNECT), socket);
  });
}

/**
 * Refuses in turn: an answer out of turn would be taken for that of an earlier request. `latest` is
 * the answer to the latest request of the connection: the failed one if it did not arrive whole,
 * else an earlier one.
 */
function refuseInTurn(error: ParserError, socket: Socket, latest?: ServerResponse): void {
  const refuse = (): void => answerClientError(error, socket);
  // On `end` Node would close the connection after the earlier answers.
  socket.removeAllListeners('end');
  if (latest === undefined) refuse();
  else if (latest.req.complete) whenSent(latest, refuse);
  else if (latest.headersSent) {
    // Its answer began before all of the request had arrived, so it gets no second answer.
    latest.req.emit(BODY_CUT);
    whenSent(latest, () => closeLingering(socket));
  } else if (latest.socket === null) latest.once('socket', refuse);
  // A handler that reads the body in pieces answers itself, and reports what it did with them.
  else if (!latest.req.emit(BODY_CUT)) refuse();
}

function whenSent(response: ServerResponse, callback: () => void): void {
  if (response.writableFinished) callback();
  else response.once('finish', callback);
}

function answerClientError(error: ParserError, socket: Socket): void {
  // Bytes after a request that ends the connection; it ends with the answer to that request.
  if (error.code === 'HPE_CLOSED_CONNECTION') return;
  // An answer before this one says that the connection ends with it.
  if (isClosing(socket)) return;
  // Bytes of an earlier answer may be on their way; ours would corrupt them.
  if (!socket.writable || socket.errored || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const {
    status,
    contentType = '',
    headers,
    body,
  } = errorResponse(toRequestError(error), {
    requestId: '-',
    accept: undefined,
    trace: 'off',
  });
  const text = typeof body === 'string' ? body : '';
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, `Content-Type: ${contentType}`];
  const all = [...headers, ...(headers.includes('Connection') ? [] : CLOSE), ...DATA_HEADERS];
  for (let i = 0; i < all.length; i += 2) lines.push(`${all[i]}: ${all[i + 1]}`);
  lines.push(`Content-Length: ${Buffer.byteLength(text)}`, `Date: ${new Date().toUTCString()}`);
  socket.write(`${lines.join('\r\n')}\r\n\r\n${text}`);
  closeLingering(socket);
}

function toRequestError(error: ParserError): RequestError {
  if (error instanceof RequestError) return error;
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return headersTooLarge('The request line and headers are too long');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return requestTimeout();
    default:
      return malformed('The request is not valid HTTP/1.1');
  }
}
