// The type of all handlers: intent, request and parts of the service in, answer out. Handlers throw
// failures; the error funnel turns them into answers.

import type { Grid, MaybePromise } from '../../grid/index.ts';
import type { KeySequence } from '../dialects/geode/key-sequence.ts';
import type { IntentKind, IntentOf, ReadFile } from '../intent/intent.ts';
import type { ApiRequest } from '../request/api-request.ts';
import type { BodyLimits } from '../request/body.ts';
import type { PiecesLimits } from '../request/body-pieces.ts';
import type { KeyLimits } from '../request/routed-request.ts';
import type { ApiResponse } from '../response/api-response.ts';
import type { SiteFiles } from '../response/static-file.ts';
import type { LongPolls } from '../streams/open-streams.ts';
import type { SharedPages } from '../streams/shared-pages.ts';

export type AnswerIntent<I> = (
  intent: I,
  request: ApiRequest,
  api: Api,
) => MaybePromise<ApiResponse>;

export type Handler<K extends IntentKind> = AnswerIntent<IntentOf<K>>;

/** The parts of the service that the application gives. */
export interface GivenApi {
  readonly grid: Grid;
  readonly limits: RequestLimits;
  /** A key for an entry that came without one. */
  readonly newKey: () => string;
  /** Prometheus text of all metrics. */
  readonly printMetrics: () => Promise<string>;
  /** The effective settings with their origins, secrets masked, as JSON. */
  readonly printConfig: () => string;
}

/** All parts of the service. */
export interface Api extends GivenApi {
  readonly status: ServiceStatus;
  /** The OpenAPI document of the routes served. */
  readonly printOpenApi: (origin: string) => string;
  /** Generates numbered keys, for a dialect. */
  readonly keySequence: KeySequence;
  /** Digests of the requests with an idempotency key that are in flight, by record key. */
  readonly idempotentRequests: Map<string, string>;
  /** Called when a stored answer is replayed. */
  readonly onReplay: () => void;
  /** Called when a bulk load has ended. */
  readonly onBulk: (summary: { readonly succeeded: number; readonly failed: number }) => void;
  /** Requests that wait for changes. */
  readonly longPolls: LongPolls;
  /** The files that browsers load. */
  readonly files: Readonly<Record<ReadFile['site'], SiteFiles>>;
  /** Whether requests need a login. */
  readonly authentication: 'on' | 'off';
  /** Printed pages of changes, which feeds with the same view share. */
  readonly feedPages: SharedPages;
}

export interface RequestLimits extends BodyLimits, KeyLimits, PiecesLimits {
  /** Maximum items of a bulk load that is one commit. */
  readonly maxAtomicItems: number;
}

export interface ServiceStatus {
  readonly phase: 'starting' | 'running' | 'draining';
}
