// The options of a server, and the ones that can change while it runs.

import type { ErrorTrace, Observe } from '../observe/observation.ts';
import type { StreamFigures } from '../observe/program-metrics.ts';
import type { Authenticator } from './auth/authenticator.ts';
import type { ConnectionLimits, TlsMaterial } from './connection/node-server.ts';
import type { SlowClientRules } from './connection/slow-clients.ts';
import type { DialectName } from './dialects/dialects.ts';
import type { GivenApi } from './handlers/handler.ts';
import type { StreamLimits } from './memory/answer-memory.ts';
import type { HeadLimits } from './request/head-limits.ts';
import type { OpenStreamLimits } from './streams/open-streams.ts';

export interface ServerLimits
  extends HeadLimits,
    ConnectionLimits,
    SlowClientRules,
    StreamLimits,
    OpenStreamLimits {
  /** A socket without traffic for this long is closed; longer than the longest query. */
  readonly idleSocketMs: number;
  /** Total time that a streamed answer may take; 0: no limit. */
  readonly maxAnswerMs: number;
  readonly maxRequestsInFlight: number;
  /** Maximum memory of the bodies of all requests in flight. */
  readonly maxBodyBytesInFlight: number;
}

export interface ServerOptions {
  readonly host: string;
  readonly port: number;
  readonly api: GivenApi;
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
  /** The address that clients use, if it differs from the listening address; empty: not set. */
  readonly publicUrl?: string;
  /** Proxies whose `X-Forwarded-…` headers are trusted. */
  readonly trustedProxies?: readonly string[];
  /** Whether answers are compressed for clients that ask for it; they are when absent. */
  readonly compression?: 'on' | 'off';
  /** How unknown query parameters are treated; refused when absent. */
  readonly unknownParameters?: 'refuse' | 'ignore';
  /** `node`: Node's parser parses every request. */
  readonly reading?: 'direct' | 'node';
  readonly trace: ErrorTrace;
  readonly observe: Observe;
  /** Monotonic milliseconds. */
  readonly now: () => number;
  /** Milliseconds since 1970, for logins that expire; `Date.now` when absent. */
  readonly wallClock?: () => number;
  /** Yields to the event loop, so that other requests run. */
  readonly pause: () => Promise<void>;
  /** Calls back at the end of the current round of the event loop, before paused work continues. */
  readonly atRoundEnd: (callback: () => void) => void;
}

export interface RunningServer {
  readonly port: number;
  readonly scheme: 'http' | 'https';
  /** Requests that are not answered yet. */
  readonly requestsInFlight: number;
  /** Requests among them whose answers wait for their clients. */
  readonly requestsWaiting: number;
  /** Streamed answers that are being sent. */
  readonly activeStreams: number;
  /** Long streams that are open, by kind. */
  readonly openStreams: readonly StreamFigures[];
  /** Requests refused because the service is draining; health probes are not counted. */
  readonly requestsRefused: number;
  /** New connections get this certificate; throws, and keeps the old, when it is unusable. */
  replaceTls(material: TlsMaterial): void;
  /** From now on requests are served. */
  open(): void;
  /** From now on ping answers 404 and the rest 503; long streams end; settles when nothing is in flight. */
  drain(): Promise<void>;
  /** Accepts no new connections; requests on open connections are still answered. */
  stopListening(): void;
  /** Destroys all remaining connections, and stops listening. */
  close(): Promise<void>;
}
