// The options of a server, and the ones that can change while it runs.

import type { Observe } from '../observe/observation.ts';
import type { Authenticator } from './auth/authenticator.ts';
import type { ConnectionLimits, TlsMaterial } from './connection/node-server.ts';
import type { SlowClientRules } from './connection/slow-clients.ts';
import type { DialectName } from './dialects/dialects.ts';
import type { Api } from './handlers/handler.ts';
import type { HeadLimits } from './request/head-limits.ts';
import type { TraceMode } from './response/error-trace.ts';
import type { StreamLimits } from './serving/streams-under-way.ts';
import type { OpenStreamLimits, StreamFigures } from './streams/open-streams.ts';

export interface ServerLimits
  extends HeadLimits,
    ConnectionLimits,
    SlowClientRules,
    StreamLimits,
    OpenStreamLimits {
  /** A socket on which nothing moves for this long is closed; longer than the longest query. */
  readonly idleSocketMs: number;
  /** How long an answer in pieces may take in all; 0: for ever. */
  readonly maxAnswerMs: number;
  readonly maxRequestsInFlight: number;
  /** The most memory that the bodies of all requests in flight may hold together. */
  readonly maxBodyBytesInFlight: number;
}

export interface ServerOptions {
  readonly host: string;
  readonly port: number;
  readonly api: Omit<
    Api,
    | 'status'
    | 'printOpenApi'
    | 'authentication'
    | 'console'
    | 'documentation'
    | 'keySequence'
    | 'longPolls'
    | 'runningOnce'
    | 'onReplay'
    | 'onBulk'
    | 'describeError'
    | 'feedPages'
  >;
  /** Other APIs that are served besides; absent: all there are. */
  readonly dialects?: readonly DialectName[];
  readonly limits: ServerLimits;
  /** Absent: every request is allowed. */
  readonly authenticator?: Authenticator | undefined;
  /** Absent: plain HTTP. */
  readonly tls?: TlsMaterial | undefined;
  /** `Host` names served besides loopback and the address listened on; `*` for all. */
  readonly allowedHosts?: readonly string[];
  /** Addresses of the server list, served as `Host` too. */
  readonly advertised?: readonly string[];
  /** Origins whose pages may call the service. */
  readonly corsOrigins?: readonly string[];
  /** Where clients find the service, when that is not where it listens; empty: not set. */
  readonly publicUrl?: string;
  /** Proxies whose `X-Forwarded-…` headers are believed. */
  readonly trustedProxies?: readonly string[];
  /** Whether answers are compressed for clients that ask for it; they are when absent. */
  readonly compression?: 'on' | 'off';
  /** Query parameters that a request does not take; refused when absent. */
  readonly unknownParameters?: 'refuse' | 'ignore';
  /** `node`: Node's parser reads every request. */
  readonly reading?: 'direct' | 'node';
  readonly trace: TraceMode;
  readonly observe: Observe;
  /** Monotonic milliseconds. */
  readonly now: () => number;
  /** Milliseconds since 1970, for logins that expire; `Date.now` when absent. */
  readonly wallClock?: () => number;
  /** Lets go of the event loop, so that every other request gets its turn. */
  readonly pause: () => Promise<void>;
}

export interface RunningServer {
  readonly port: number;
  readonly scheme: 'http' | 'https';
  /** Requests that are not answered yet. */
  readonly requestsInFlight: number;
  /** Requests among them whose answers wait for their clients. */
  readonly requestsWaiting: number;
  /** Answers that are being sent in pieces. */
  readonly streamsUnderWay: number;
  /** Long streams that are open, by kind. */
  readonly openStreams: readonly StreamFigures[];
  /** How many were refused because the service is leaving; probes of health are not counted. */
  readonly requestsTurnedAway: number;
  /** New connections get this certificate; throws, and keeps the old, when it is unusable. */
  replaceTls(material: TlsMaterial): void;
  /** From now on requests are served. */
  open(): void;
  /** From now on ping answers 404 and the rest 503; long streams end; settles when nothing is in flight. */
  drain(): Promise<void>;
  /** Accepts no new connections; requests on open connections are still answered. */
  stopListening(): void;
  /** Cuts every connection that is left, and stops listening. */
  close(): Promise<void>;
}
