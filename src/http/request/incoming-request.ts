// One request: the head, for parsers, and the rest, for handlers. Parts are created on first use,
// because most requests need neither a parsed query nor a signal.

import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import { ANYONE, type Principal } from '../auth/principal.ts';
import type { DialectMount, FailedRequest } from '../dialects/dialect.ts';
import type { Intent } from '../intent/intent.ts';
import { API } from '../response/addresses.ts';
import type { Outgoing } from '../response/outgoing.ts';
import type { ApiRequest } from './api-request.ts';
import { type BodyLimits, readJsonBody, readOptionalBytes, readOptionalJsonBody } from './body.ts';
import { type PiecesLimits, readPieces } from './body-pieces.ts';
import type { PublicAddress } from './public-address.ts';
import { QueryString } from './query-string.ts';
import type { RequestSource } from './request-head.ts';
import type { RoutedRequest } from './routed-request.ts';

/** Shared by the many requests without a query. */
const NO_QUERY = new QueryString('');
const CLIENT_ID = /^[\w.:-]{1,64}$/;

/** The tools that all requests share. */
export interface RequestTools {
  readonly newId: () => string;
  readonly publicAddress: PublicAddress;
  /** Connections with a body that has no time limit. */
  readonly longBodies: WeakSet<Socket>;
}

export class IncomingRequest implements ApiRequest, RoutedRequest, FailedRequest {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly incoming: RequestSource;
  segments: readonly string[] = [];
  principal: Principal = ANYONE;
  /** The error code of the answer; undefined without an error. */
  failure: string | undefined = undefined;
  /** Undefined until it is parsed. */
  intent: Intent | undefined = undefined;
  /** The dialect that the path belongs to; undefined for the service's own API. */
  mount: DialectMount | undefined = undefined;
  readonly #outgoing: Outgoing;
  readonly #publicAddress: PublicAddress;
  readonly #longBodies: WeakSet<Socket>;
  readonly #rawQuery: string;
  #query: QueryString | undefined;
  #signal: AbortSignal | undefined;

  constructor(incoming: RequestSource, outgoing: Outgoing, tools: RequestTools) {
    const { longBodies, newId, publicAddress } = tools;
    // The exemption for a long body ends with its request.
    longBodies.delete(incoming.socket);
    const target = toOriginForm(incoming.url ?? '/');
    const queryStart = target.indexOf('?');
    this.incoming = incoming;
    this.#outgoing = outgoing;
    this.#publicAddress = publicAddress;
    this.#longBodies = longBodies;
    this.method = incoming.method ?? 'GET';
    this.path = queryStart < 0 ? target : target.slice(0, queryStart);
    this.#rawQuery = queryStart < 0 ? '' : target.slice(queryStart + 1);
    const clientId = incoming.headers['x-request-id'];
    this.id = typeof clientId === 'string' && CLIENT_ID.test(clientId) ? clientId : newId();
  }

  get socket(): Socket {
    return this.incoming.socket;
  }

  get headers(): IncomingHttpHeaders {
    return this.incoming.headers;
  }

  get rawHeaders(): readonly string[] {
    return this.incoming.rawHeaders;
  }

  get query(): QueryString {
    this.#query ??= this.#rawQuery === '' ? NO_QUERY : new QueryString(this.#rawQuery);
    return this.#query;
  }

  get origin(): string {
    return this.#publicAddress.of(this.incoming);
  }

  get base(): string {
    return this.origin + (this.mount?.root ?? API);
  }

  /** The path by which its route is found. */
  get routePath(): string {
    return this.mount === undefined ? this.path : this.mount.dialect.toRoutePath(this.path);
  }

  hasParameter(name: string): boolean {
    return this.query.all(name).length > 0;
  }

  get aborted(): boolean {
    return this.#outgoing.destroyed;
  }

  get signal(): AbortSignal {
    this.#signal ??= abortOnClose(this.#outgoing);
    return this.#signal;
  }

  readJson(limits: BodyLimits): string | Promise<string> {
    return readJsonBody(this.incoming, limits);
  }

  readOptionalJson(limits: BodyLimits): string | undefined | Promise<string | undefined> {
    return readOptionalJsonBody(this.incoming, limits);
  }

  readBytes(limits: BodyLimits): Buffer | undefined | Promise<Buffer | undefined> {
    return readOptionalBytes(this.incoming, limits);
  }

  readPieces(limits: PiecesLimits): AsyncIterable<Buffer> {
    this.#longBodies.add(this.incoming.socket);
    return readPieces(this.incoming, limits);
  }
}

function abortOnClose(outgoing: Outgoing): AbortSignal {
  const controller = new AbortController();
  if (outgoing.destroyed) controller.abort();
  outgoing.once('close', () => controller.abort());
  return controller.signal;
}

/** `GET http://host/path` asks for `/path`. */
function toOriginForm(target: string): string {
  if (target.startsWith('/')) return target;
  const address = /^https?:\/\/[^/?#]*/i.exec(target)?.[0];
  if (address === undefined) return target;
  const path = target.slice(address.length);
  return path.startsWith('/') ? path : `/${path}`;
}
