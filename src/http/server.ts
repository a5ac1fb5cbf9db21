// The HTTP server: limits at the door, routing, the error funnel, draining.
// `node:http` under our own route table: a framework would cost more per
// request than all of our work on it (docs/decisions).

import type { ServerOptions as NodeOptions, Server } from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import type { Observe } from '../observe/observation.ts';
import type { Authenticator } from './auth/authenticator.ts';
import { conceal } from './auth/conceal.ts';
import { Guard } from './auth/guard.ts';
import { DirectListener } from './connection/direct/direct-listener.ts';
import { closeIdleSockets, closeWhenStillQuiet } from './connection/idle-sockets.ts';
import { latestAnswer, serveNodeRequests } from './connection/node-requests.ts';
import { createNodeServer, type NodeServer, type TlsMaterial } from './connection/node-server.ts';
import { type ParserError, refuseInTurn } from './connection/refuse-in-turn.ts';
import { DocumentationFiles } from './documentation/documentation-files.ts';
import { notAcceptable, overloaded, shuttingDown, urlTooLong } from './errors.ts';
import type { Api } from './handlers/handler.ts';
import { BodyMemory } from './memory/body-memory.ts';
import { printOpenApi } from './openapi/openapi.ts';
import { accepts } from './request/accept.ts';
import { dropBody } from './request/body.ts';
import { checkHead, type HeadLimits } from './request/head-limits.ts';
import { IncomingRequest } from './request/incoming-request.ts';
import { parseFlag } from './request/parameters.ts';
import type { RequestSource } from './request/request-head.ts';
import { API } from './response/addresses.ts';
import {
  type ApiResponse,
  emptyResponse,
  JSON_TYPE,
  type ResponseBody,
} from './response/api-response.ts';
import { errorResponse, isUnforeseen } from './response/error-response.ts';
import type { TraceMode } from './response/error-trace.ts';
import type { Outgoing } from './response/outgoing.ts';
import { prettyResponse } from './response/pretty-json.ts';
import { sendResponse } from './response/send-response.ts';
import { StreamSender } from './response/stream-sender.ts';
import { Router } from './router.ts';
import { type ApiRoute, routes } from './routes.ts';
import { HostCheck } from './security/host-check.ts';
import { OriginPolicy } from './security/origin-policy.ts';

export interface ServerLimits extends HeadLimits {
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  /** How often the two above are looked at. */
  readonly timeoutCheckMs: number;
  readonly keepAliveTimeoutMs: number;
  /** A socket on which nothing moves for this long is closed; longer than the longest query. */
  readonly idleSocketMs: number;
  /** A client that takes nothing of its answer for this long is cut off. */
  readonly stalledClientMs: number;
  readonly maxConnections: number;
  readonly maxRequestsInFlight: number;
  /** What the bodies of all requests in flight may hold together. */
  readonly maxBodyBytesInFlight: number;
}

export interface ServerOptions {
  readonly host: string;
  readonly port: number;
  readonly api: Omit<Api, 'status' | 'printOpenApi' | 'documentation'>;
  readonly limits: ServerLimits;
  /** Absent: everybody may do everything. */
  readonly authenticator?: Authenticator | undefined;
  /** Absent: plain HTTP. */
  readonly tls?: TlsMaterial | undefined;
  /** `Host` names served besides loopback and the address listened on; `*` for all. */
  readonly allowedHosts?: readonly string[];
  /** Addresses of the server list, served as `Host` too. */
  readonly advertised?: readonly string[];
  /** Origins whose pages may call the service. */
  readonly corsOrigins?: readonly string[];
  /** `node`: Node's parser reads every request, for comparison. */
  readonly reading?: 'direct' | 'node';
  readonly trace: TraceMode;
  readonly observe: Observe;
  /** Monotonic milliseconds. */
  readonly now: () => number;
  /** Lets go of the event loop, so that every other request gets its turn. */
  readonly pause: () => Promise<void>;
}

export interface RunningServer {
  readonly port: number;
  readonly scheme: 'http' | 'https';
  readonly requestsInFlight: number;
  /** How many were refused because the service is leaving; probes of health are not counted. */
  readonly requestsTurnedAway: number;
  /** New connections get this certificate; throws, and keeps the old, when it is unusable. */
  replaceTls(material: TlsMaterial): void;
  /** From now on ping answers 404 and the rest 503; settles when nothing is in flight. */
  drain(): Promise<void>;
  /** Takes no new connections; requests on those that are open are still answered. */
  stopListening(): void;
  /** Cuts every connection that is left, and stops listening. */
  close(): Promise<void>;
}

export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const server = new GridServer(options);
  await server.listen();
  return server;
}

/** Stands in the log and the metrics for requests that no route took. */
const NO_ROUTE = '(none)';

/** Smaller answers fit into the buffers of the system. */
const LARGE_ANSWER_BYTES = 64 * 1024;

class GridServer implements RunningServer {
  readonly #options: ServerOptions;
  readonly #node: NodeServer;
  readonly #server: Server;
  /** Undefined while authentication is off. */
  readonly #guard: Guard | undefined;
  readonly #origins: OriginPolicy;
  #hosts: HostCheck | undefined;
  readonly #router: Router<ApiRoute> = new Router<ApiRoute>(routes, `${API}/`);
  readonly #status: { phase: 'running' | 'draining' } = { phase: 'running' };
  readonly #api: Api;
  readonly #idPrefix = `${process.pid.toString(36)}-${Date.now().toString(36)}-`;
  #inFlight = 0;
  #turnedAway = 0;
  readonly #bodyMemory: BodyMemory;
  readonly #streams: StreamSender;
  /** Undefined where all connections are Node's, as those with TLS are. */
  readonly #direct: DirectListener | undefined;
  readonly #stopClosingIdle: () => void;
  /** Connections on which something came that is no request: they get one answer to it. */
  readonly #refused = new WeakSet<Socket>();
  #requests = 0;
  #whenIdle: () => void = () => undefined;

  constructor(options: ServerOptions) {
    this.#options = options;
    this.#bodyMemory = new BodyMemory(options.limits.maxBodyBytesInFlight);
    const { limits, now, pause } = options;
    this.#streams = new StreamSender({ now, pause, stalledClientMs: limits.stalledClientMs });
    this.#api = {
      ...options.api,
      limits: { ...options.api.limits, bodyMemory: this.#bodyMemory },
      status: this.#status,
      printOpenApi: lazy(() => printOpenApi(routes)),
      documentation: new DocumentationFiles(),
    };
    this.#node = createNodeServer(toNodeOptions(options.limits), options.tls);
    this.#server = this.#node.server;
    this.#origins = new OriginPolicy(options.corsOrigins ?? []);
    this.#guard =
      options.authenticator &&
      new Guard(options.authenticator, options.api.limits, options.observe);
    const { headersTimeoutMs, keepAliveTimeoutMs, maxUrlBytes } = options.limits;
    const reading = { headersTimeoutMs, keepAliveTimeoutMs, maxUrlBytes };
    const serve = (incoming: RequestSource, outgoing: Outgoing): void =>
      void this.#serve(incoming, outgoing);
    this.#direct =
      options.tls === undefined && options.reading !== 'node'
        ? new DirectListener(this.#server, { serve, ...reading })
        : undefined;
    this.#stopClosingIdle = closeIdleSockets(this.#server, options.limits.idleSocketMs);
    this.#server.maxConnections = options.limits.maxConnections;
    // Node drops headers beyond its own count silently; head-limits.ts counts instead.
    this.#server.maxHeadersCount = 0;
    serveNodeRequests(this.#server, serve);
    this.#server.on('timeout', closeWhenStillQuiet);
    this.#server.on('clientError', (error, socket) => this.#refuse(error, socket as Socket)); // TCP only
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port; // listening on TCP, so never a pipe
  }

  get scheme(): 'http' | 'https' {
    return this.#node.scheme;
  }

  replaceTls(material: TlsMaterial): void {
    this.#node.replaceTls(material);
  }

  get requestsTurnedAway(): number {
    return this.#turnedAway;
  }

  get requestsInFlight(): number {
    return this.#inFlight;
  }

  listen(): Promise<void> {
    const { port, host } = this.#options;
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, host, () => {
        this.#server.off('error', reject);
        this.#hosts = this.#createHostCheck();
        resolve();
      });
    });
  }

  drain(): Promise<void> {
    this.#status.phase = 'draining';
    return new Promise((resolve) => {
      this.#whenIdle = resolve;
      if (this.#inFlight === 0) resolve();
    });
  }

  stopListening(): void {
    // Not the HTTP server's own close: that one cuts idle connections as well,
    // also those whose next request is already on its way.
    NetServer.prototype.close.call(this.#server);
  }

  close(): Promise<void> {
    this.#stopClosingIdle();
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      this.#direct?.close();
      this.#server.closeAllConnections();
    });
  }

  async #serve(incoming: RequestSource, outgoing: Outgoing): Promise<void> {
    const started = this.#options.now();
    const request = new IncomingRequest(incoming, outgoing, this.#newId);
    this.#inFlight += 1;
    let route = NO_ROUTE;
    let response: ApiResponse;
    let pretty = false;
    try {
      checkHead(incoming, this.#options.limits);
      this.#hosts?.check(incoming);
      this.#origins.check(request);
      pretty = incoming.url?.includes('pretty=') === true && parseFlag(request.query, 'pretty');
      if (request.method === 'OPTIONS') response = this.#describeMethods(request);
      else {
        const match = this.#router.match(request.method, request.path);
        route = match.route.path;
        request.segments = match.segments;
        this.#admit(match.route, request);
        if (this.#guard !== undefined) await this.#guard.admit(match.route.needs, request);
        const answer = match.route.handle(request, this.#api);
        response = answer instanceof Promise ? await answer : answer;
      }
    } catch (error) {
      response = this.#failed(error, request);
    }
    if (pretty) response = prettyResponse(response);
    if (request.headers.origin !== undefined) response = this.#origins.share(request, response);
    if (isLarge(response.body)) response = this.#holdAnswer(response, response.body, request);
    const sending = this.#send(response, request, outgoing);
    const bytes = typeof sending === 'number' ? sending : await sending;
    this.#finish(request, route, { status: response.status, bytes, started });
  }

  /** What came on the connection is no request. */
  #refuse(error: ParserError, socket: Socket): void {
    if (this.#refused.has(socket)) return;
    this.#refused.add(socket);
    refuseInTurn(this.#toRequestError(error, socket), socket, latestAnswer(socket));
  }

  #toRequestError(error: ParserError, socket: Socket): ParserError {
    const isLongLine =
      error.code === 'HPE_HEADER_OVERFLOW' &&
      this.#direct?.hasLongLine(socket, error.rawPacket) === true;
    return isLongLine ? urlTooLong(this.#options.limits.maxUrlBytes) : error;
  }

  readonly #newId = (): string => {
    this.#requests += 1;
    return this.#idPrefix + this.#requests.toString(36);
  };

  /** Refuses early and cheaply what cannot be served now, or not in a form the client takes. */
  #admit(route: ApiRoute, request: IncomingRequest): void {
    if (route.always !== true) {
      if (this.#status.phase === 'draining') {
        this.#turnedAway += 1;
        throw shuttingDown();
      }
      if (this.#inFlight > this.#options.limits.maxRequestsInFlight) {
        dropBody(request.incoming);
        throw overloaded();
      }
    } else if (route.produces === undefined) return; // Whoever probes wants the status alone.
    const { accept } = request.headers;
    if (accept === undefined || accept === '*/*' || accept === JSON_TYPE) return;
    const offered = [JSON_TYPE, ...(route.produces ?? [])];
    if (!offered.some((type) => accepts(accept, type))) {
      throw notAcceptable(accept, offered);
    }
  }

  #describeMethods(request: IncomingRequest): ApiResponse {
    const methods = [...this.#router.methods(request.path), 'OPTIONS'];
    const shared = this.#origins.preflight(request, methods);
    return emptyResponse(204, ['Allow', methods.join(', '), ...shared]);
  }

  #createHostCheck(): HostCheck {
    const { advertised = [], allowedHosts = [], host } = this.#options;
    const { port, scheme } = this;
    return new HostCheck({ bound: host, port, scheme, allowed: allowedHosts, advertised });
  }

  #failed(error: unknown, request: IncomingRequest): ApiResponse {
    if (isUnforeseen(error)) {
      this.#options.observe({ kind: 'request-failed', requestId: request.id, error });
    }
    const shown =
      this.#guard === undefined ? error : conceal(error, request, this.#options.api.limits);
    return errorResponse(shown, {
      requestId: request.id,
      accept: request.headers.accept,
      trace: this.#options.trace,
    });
  }

  /** Without room for an answer until its client has taken it, it is not given. */
  #holdAnswer(
    response: ApiResponse,
    { length }: string | Uint8Array,
    request: IncomingRequest,
  ): ApiResponse {
    const isHeld = this.#bodyMemory.holdAnswer(request.incoming, length);
    return isHeld ? response : this.#failed(overloaded(), request);
  }

  #send(
    response: ApiResponse,
    request: IncomingRequest,
    outgoing: Outgoing,
  ): number | Promise<number> {
    const sending = { requestId: request.id, streams: this.#streams };
    const sent = sendResponse(response, outgoing, sending);
    if (typeof sent === 'number') return sent;
    return sent.catch((error: unknown) => {
      this.#failed(error, request);
      return 0;
    });
  }

  #finish(
    request: IncomingRequest,
    route: string,
    outcome: { readonly status: number; readonly bytes: number; readonly started: number },
  ): void {
    this.#inFlight -= 1;
    if (outcome.bytes < LARGE_ANSWER_BYTES) this.#bodyMemory.release(request.incoming);
    else this.#bodyMemory.releaseWhenTaken(request.incoming);
    if (this.#inFlight === 0) this.#whenIdle();
    this.#options.observe({
      kind: 'request-finished',
      requestId: request.id,
      method: request.method,
      route,
      path: request.path,
      status: outcome.status,
      bytes: outcome.bytes,
      ms: this.#options.now() - outcome.started,
    });
  }
}

function toNodeOptions(limits: ServerLimits): NodeOptions {
  return {
    // URL and headers have limits of their own; the parser's must only be no tighter.
    maxHeaderSize: limits.maxHeaderBytes + limits.maxUrlBytes,
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    connectionsCheckingInterval: limits.timeoutCheckMs,
    // Node would refuse without a body, and unknown to #refuse; host-check.ts asks for it instead.
    requireHostHeader: false,
    noDelay: true,
  };
}

/** Streams are not: they hold a piece at a time. */
function isLarge(body: ResponseBody): body is string | Uint8Array {
  return (
    (typeof body === 'string' || body instanceof Uint8Array) && body.length >= LARGE_ANSWER_BYTES
  );
}

/** Makes it when first asked for, and once. */
function lazy<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
