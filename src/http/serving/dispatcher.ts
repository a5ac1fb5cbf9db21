// Serves one request: checks its head, finds its route, admits it, runs its handler, sends the
// answer and reports it. Every failure on the way goes through the error funnel.

import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Observe } from '../../observe/observation.ts';
import type { Authenticator } from '../auth/authenticator.ts';
import { identify } from '../auth/identify.ts';
import type { SlowClients } from '../connection/slow-clients.ts';
import { createConsoleFiles } from '../console/console-files.ts';
import { DIALECT_NAMES, type DialectName, findDialect } from '../dialects/dialects.ts';
import { KeySequence } from '../dialects/geode/key-sequence.ts';
import { createDocumentationFiles } from '../documentation/documentation-files.ts';
import { overloaded } from '../errors.ts';
import type { Api } from '../handlers/handler.ts';
import { authorise, handleIntent } from '../handlers/handlers.ts';
import type { GuardedIntent, Intent } from '../intent/intent.ts';
import { AnswerMemory } from '../memory/answer-memory.ts';
import { BodyMemory } from '../memory/body-memory.ts';
import { createOpenApiPrinter } from '../openapi/openapi.ts';
import { checkHead, type HeadLimits } from '../request/head-limits.ts';
import { IncomingRequest, type RequestTools } from '../request/incoming-request.ts';
import { KnownParameters } from '../request/known-parameters.ts';
import { LargeBodies } from '../request/large-bodies.ts';
import { parsePretty } from '../request/parameters.ts';
import { PublicAddress } from '../request/public-address.ts';
import type { RequestSource } from '../request/request-head.ts';
import type { Parse } from '../request/routed-request.ts';
import { API } from '../response/addresses.ts';
import { type ApiResponse, emptyResponse, isStream } from '../response/api-response.ts';
import { beginStream, withErrorLine } from '../response/begin-stream.ts';
import { chooseEncoding, compressResponse, isCompressible } from '../response/compress.ts';
import { errorCode, isRefusal } from '../response/error-response.ts';
import { NDJSON_TYPE } from '../response/media-types.ts';
import type { Outgoing } from '../response/outgoing.ts';
import { prettyResponse } from '../response/pretty-json.ts';
import { sendResponse } from '../response/send-response.ts';
import { type SentStream, StreamSender } from '../response/stream-sender.ts';
import { Router } from '../router.ts';
import { type ApiRoute, routes, routesWith } from '../routes.ts';
import type { HostCheck } from '../security/host-check.ts';
import { OriginPolicy } from '../security/origin-policy.ts';
import type { ServerOptions } from '../server-options.ts';
import type { LongStream } from '../streams/long-stream.ts';
import type { OpenStreams } from '../streams/open-streams.ts';
import { SharedPages } from '../streams/shared-pages.ts';
import { STREAM_TYPES } from '../streams/stream-form.ts';
import { acceptedTypes } from './accepted-types.ts';
import { ErrorFunnel } from './error-funnel.ts';
import { type LongAnswer, LongStreams } from './long-streams.ts';
import { RefusalRateLimit } from './refusal-rate-limit.ts';
import { createRequestIds } from './request-ids.ts';
import type { RequestsInFlight } from './requests-in-flight.ts';
import { requireAcceptable } from './require-acceptable.ts';

/** The route of unmatched requests in log and metrics. */
const NO_ROUTE = '(none)';

/** The current work of the server. */
export interface ServerLoad {
  readonly inFlight: RequestsInFlight;
  readonly openStreams: OpenStreams;
  readonly slowClients: SlowClients;
  /** Connections with a body that has no time limit. */
  readonly longBodies: WeakSet<Socket>;
}

/** A request that is being answered. */
interface Exchange {
  readonly request: IncomingRequest;
  readonly outgoing: Outgoing;
  readonly route: string;
  /** By the monotonic clock. */
  readonly started: number;
}

export class Dispatcher {
  readonly #router: Router<ApiRoute>;
  readonly #dialects: readonly DialectName[];
  readonly #requestTools: RequestTools;
  /** Whether answers are compressed for clients that ask for it. */
  readonly #compresses: boolean;
  readonly #headLimits: HeadLimits;
  readonly #api: Api;
  readonly #inFlight: RequestsInFlight;
  readonly #origins: OriginPolicy;
  #hosts: HostCheck | undefined;
  /** Undefined while authentication is off. */
  readonly #authenticator: Authenticator | undefined;
  /** Undefined where unknown parameters are ignored. */
  readonly #knownParameters: KnownParameters | undefined;
  readonly #funnel: ErrorFunnel;
  readonly #refusals: RefusalRateLimit;
  readonly #answerMemory: AnswerMemory;
  readonly #streams: StreamSender;
  readonly #longStreams: LongStreams;
  readonly #observe: Observe;
  readonly #now: () => number;

  constructor(options: ServerOptions, load: ServerLoad) {
    const { inFlight } = load;
    const { api, authenticator, limits, now, observe, pause, trace } = options;
    this.#dialects = options.dialects ?? DIALECT_NAMES;
    this.#router = new Router<ApiRoute>(routesWith(this.#dialects), `${API}/`);
    this.#headLimits = limits;
    const { publicUrl = '', trustedProxies = [] } = options;
    this.#requestTools = {
      newId: createRequestIds(),
      publicAddress: new PublicAddress({ publicUrl, trustedProxies }),
      longBodies: load.longBodies,
    };
    this.#compresses = options.compression !== 'off';
    this.#inFlight = inFlight;
    this.#origins = new OriginPolicy(options.corsOrigins ?? []);
    this.#authenticator = authenticator;
    const isStrict = options.unknownParameters !== 'ignore';
    this.#knownParameters = isStrict ? new KnownParameters(routes) : undefined;
    const redacts = authenticator === undefined ? 'never' : 'always';
    this.#funnel = new ErrorFunnel({ trace, observe, redacts });
    const bodyMemory = new BodyMemory(limits.maxBodyBytesInFlight);
    this.#answerMemory = new AnswerMemory(bodyMemory, limits);
    this.#streams = new StreamSender({
      now,
      pause,
      maxAnswerMs: limits.maxAnswerMs,
      onWait: (outgoing) => waitForClient(load, outgoing),
    });
    const { openStreams } = load;
    this.#longStreams = new LongStreams({ openStreams, funnel: this.#funnel, observe, now });
    this.#observe = observe;
    this.#now = now;
    this.#refusals = new RefusalRateLimit({ now, delay });
    this.#api = {
      ...api,
      limits: { ...api.limits, bodyMemory, largeBodies: new LargeBodies({ now, pause }) },
      status: inFlight,
      printOpenApi: createOpenApiPrinter(routes),
      files: { console: createConsoleFiles(), docs: createDocumentationFiles() },
      authentication: authenticator === undefined ? 'off' : 'on',
      keySequence: new KeySequence(),
      longPolls: load.openStreams,
      idempotentRequests: new Map(),
      onReplay: () => observe({ kind: 'answer-replayed' }),
      onBulk: ({ failed, succeeded }) => observe({ kind: 'bulk-finished', succeeded, failed }),
      feedPages: new SharedPages(),
    };
  }

  /** Streamed answers that are being sent. */
  get activeStreams(): number {
    return this.#answerMemory.streams;
  }

  /** From now on `Host` must be one of these. */
  serveAs(hosts: HostCheck): void {
    this.#hosts = hosts;
  }

  async serve(incoming: RequestSource, outgoing: Outgoing): Promise<void> {
    const started = this.#now();
    const request = new IncomingRequest(incoming, outgoing, this.#requestTools);
    this.#inFlight.begin();
    let route = NO_ROUTE;
    let response: ApiResponse;
    let pretty = false;
    try {
      request.mount = findDialect(this.#dialects, request.path);
      checkHead(incoming, this.#headLimits);
      this.#hosts?.check(incoming);
      pretty = wantsPretty(request);
      if (request.method === 'OPTIONS') response = this.#describeMethods(request);
      else {
        const match = this.#router.match(request.method, request.routePath);
        route = match.route.path;
        request.segments = match.segments;
        this.#origins.check(request, match.route);
        if (match.route.always !== true) this.#inFlight.admit(incoming);
        requireAcceptable(match.route, incoming.headers.accept);
        const intent =
          this.#authenticator === undefined
            ? this.#parse<Intent>(match.route, request)
            : await this.#parseGuarded(match.route, request, this.#authenticator);
        request.intent = intent;
        const answer = answerIntent(match.route, intent, request, this.#api);
        response = answer instanceof Promise ? await answer : answer;
        const held = heldStream(response);
        if (held !== undefined) {
          const body = await beginStream(held);
          response = { ...response, body: this.#endWithErrorLine(body, response, request) };
        }
      }
    } catch (error) {
      const turn = this.#takeRefusal(error);
      if (turn !== undefined) await turn;
      response = this.#funnel.toResponse(error, request);
    }
    const compressed = this.#compress(formatResponse(response, pretty), request);
    response = compressed instanceof Promise ? await compressed : compressed;
    response = this.#origins.share(request, response);
    const exchange = { request, outgoing, route, started };
    const { longStream } = response;
    // Nearly all answers are sent synchronously.
    return longStream === undefined
      ? this.#send(response, exchange)
      : this.#sendLong(response, longStream, exchange);
  }

  /**
   * Undefined if the failure is answered now. While a refusal is delayed, its request does not
   * count as in flight.
   */
  #takeRefusal(error: unknown): Promise<void> | undefined {
    const turn = isRefusal(error) ? this.#refusals.take() : undefined;
    if (turn === undefined) return undefined;
    this.#inFlight.beginWaiting();
    return turn.then(() => this.#inFlight.endWaiting());
  }

  #send(answer: ApiResponse, exchange: Exchange): Promise<void> | undefined {
    const { outgoing, request, route, started } = exchange;
    // An answer is refused if there is no memory to hold it until its client has read it.
    const response = this.#answerMemory.admit(request.incoming, answer.body)
      ? answer
      : this.#funnel.toResponse(overloaded(), request);
    const { status } = response;
    const sending = { requestId: request.id, streams: this.#streams };
    const sent = sendResponse(response, outgoing, sending);
    if (typeof sent === 'number') {
      this.#finish(request, route, { status, started, bytes: sent });
      return undefined;
    }
    return sent.then((outcome) => this.#finish(request, route, { status, started, ...outcome }));
  }

  /** The request is finished when the stream begins. */
  #sendLong(
    response: ApiResponse,
    stream: LongStream,
    exchange: Exchange,
  ): Promise<void> | undefined {
    const { outgoing, request, route, started } = exchange;
    const answer = this.#admitLong(response, stream, request);
    if (!('stream' in answer)) return this.#send(answer, exchange);
    this.#finish(request, route, { status: response.status, started, bytes: 0 });
    return this.#longStreams.send(answer, request, outgoing);
  }

  /** To HEAD, the head of a stream is the whole answer. */
  #admitLong(
    response: ApiResponse,
    stream: LongStream,
    request: IncomingRequest,
  ): LongAnswer | ApiResponse {
    const { longStream, ...head } = response;
    if (request.method === 'HEAD') {
      stream.discard?.();
      return { ...head, contentType: STREAM_TYPES[stream.form] };
    }
    try {
      return this.#longStreams.admit(response, stream, request);
    } catch (error) {
      stream.discard?.();
      return this.#origins.share(request, this.#funnel.toResponse(error, request));
    }
  }

  /** Authentication comes first, so that errors reveal nothing to a client without a login. */
  async #parseGuarded(
    route: ApiRoute,
    request: IncomingRequest,
    authenticator: Authenticator,
  ): Promise<Intent> {
    if (route.access === 'public') return this.#parse(route, request);
    request.principal = await identify(request, authenticator, this.#observe);
    const intent = this.#parse(route, request);
    authorise(intent, request.principal);
    return intent;
  }

  #parse<I extends Intent>(
    { operation, parse }: { readonly operation?: string; readonly parse: Parse<I> },
    request: IncomingRequest,
  ): I {
    // Dialects have no operations, and check their own parameters.
    if (operation !== undefined) this.#knownParameters?.check(operation, request.query);
    return parse(request, this.#api.limits);
  }

  /** A failing NDJSON stream ends with an error line; other forms are cut off. */
  #endWithErrorLine(
    body: AsyncIterable<string | Uint8Array>,
    { contentType }: ApiResponse,
    request: IncomingRequest,
  ): AsyncIterable<string | Uint8Array> {
    if (contentType !== NDJSON_TYPE) return body;
    return withErrorLine(body, (error) => this.#funnel.toResponse(error, request));
  }

  #compress(
    response: ApiResponse,
    { headers, method }: IncomingRequest,
  ): ApiResponse | Promise<ApiResponse> {
    const isUnchanged = response.status === 304;
    if (!this.#compresses || !(isUnchanged || isCompressible(response))) return response;
    const accepted = headers['accept-encoding'];
    const varying = { ...response, headers: [...response.headers, 'Vary', 'Accept-Encoding'] };
    if (typeof accepted !== 'string' || isUnchanged) return varying;
    const encoding = chooseEncoding(accepted);
    return encoding === undefined ? varying : compressResponse(varying, encoding, method);
  }

  #describeMethods(request: IncomingRequest): ApiResponse {
    const methods = [...this.#router.methods(request.routePath), 'OPTIONS'];
    const shared = this.#origins.preflight(request, methods);
    const { mount } = request;
    if (mount !== undefined) return mount.dialect.describeMethods(methods, shared);
    const accepted = acceptedTypes(this.#router, request.routePath, methods);
    return emptyResponse(204, ['Allow', methods.join(', '), ...accepted, ...shared]);
  }

  #finish(
    request: IncomingRequest,
    route: string,
    outcome: SentStream & { readonly status: number; readonly started: number },
  ): void {
    const { cutBy, failedBy } = outcome;
    if (failedBy !== undefined) this.#funnel.report(failedBy, request);
    this.#answerMemory.release(request.incoming, outcome.bytes);
    this.#inFlight.end();
    this.#observe({
      kind: 'request-finished',
      requestId: request.id,
      method: request.method,
      route,
      path: request.path,
      status: outcome.status,
      bytes: outcome.bytes,
      ms: this.#now() - outcome.started,
      ...(request.failure === undefined ? {} : failureDetails(request, request.failure)),
      ...(cutBy === undefined ? {} : { cutBy: errorCode(cutBy) }),
    });
  }
}

function failureDetails(
  { intent }: IncomingRequest,
  code: string,
): { readonly code: string; readonly queryId?: string } {
  const queryId = intent !== undefined && 'queryId' in intent ? intent.queryId : undefined;
  return queryId === undefined ? { code } : { code, queryId };
}

function waitForClient({ inFlight, slowClients }: ServerLoad, { socket }: Outgoing): () => void {
  inFlight.beginWaiting();
  if (socket !== null) slowClients.watch(socket);
  return () => {
    inFlight.endWaiting();
    if (socket !== null) slowClients.forget(socket);
  };
}

/** A dialect answers its own routes. */
function answerIntent(
  route: ApiRoute,
  intent: Intent,
  request: IncomingRequest,
  api: Api,
): Promise<ApiResponse> | ApiResponse {
  if (!('answer' in route)) return handleIntent(intent, request, api);
  return route.answer(intent as GuardedIntent, request, api); // made by the parser of the route
}

/** The streamed body whose first pieces are read before the status is sent. */
function heldStream({
  beginsAtOnce,
  body,
}: ApiResponse): AsyncIterable<string | Uint8Array> | undefined {
  return isStream(body) && beginsAtOnce !== true ? body : undefined;
}

function formatResponse(response: ApiResponse, pretty: boolean): ApiResponse {
  return pretty ? prettyResponse(response) : response;
}

/** Dialects format their own answers. */
function wantsPretty(request: IncomingRequest): boolean {
  return request.mount === undefined && parsePretty(request.query);
}
