// Everything the program can report about itself, as one closed union. Other code reports
// observations; the sinks (log.ts, program-metrics.ts) turn them into log lines and metrics. No
// observation carries a value, a body, a bind parameter or a credential.

/** How much of an unexpected error is shown: its frames, its message too, or neither. */
export type ErrorTrace = 'safe' | 'full' | 'off';

export type Observation =
  | RequestFinished
  | QueryFinished
  | StreamEnded
  | {
      readonly kind: 'service-started';
      readonly url: string;
      readonly store: string;
      readonly ms: number;
    }
  | { readonly kind: 'service-stopping'; readonly reason: string }
  | { readonly kind: 'service-stopped'; readonly ms: number; readonly unfinishedRequests: number }
  /** Something outside any request failed; the service drains and ends. */
  | { readonly kind: 'service-failed'; readonly error: unknown }
  /** The data directory was removed or replaced; the service drains and ends. */
  | { readonly kind: 'store-lost'; readonly directory: string }
  /** A finding about the store that did not prevent opening it. */
  | { readonly kind: 'store-recovered'; readonly note: string }
  /** Data or secrets were, or are, open to every user of the machine. */
  | { readonly kind: 'open-to-others'; readonly note: string }
  /** A request ended with an unexpected error; `requestId` identifies its log line. */
  | { readonly kind: 'request-failed'; readonly requestId: string; readonly error: unknown }
  /** The store failed a request; `reason` is the store's message and contains no data. */
  | {
      readonly kind: 'store-failure';
      readonly requestId: string;
      readonly code: string;
      readonly reason: string;
    }
  /** A login was refused; its name is not reported, because it may be anything. */
  | {
      readonly kind: 'login-failed';
      readonly requestId: string;
      readonly address: string;
      readonly code: string;
      /** The defect of a token or a key; the client never sees it. */
      readonly reason?: string;
    }
  | { readonly kind: 'certificate-replaced' }
  /** The files named in the settings hold no usable certificate; the old one stays in use. */
  | { readonly kind: 'certificate-refused'; readonly reason: string }
  /** Users, roles, API keys and token settings were reloaded. */
  | { readonly kind: 'logins-replaced' }
  /** The new ones of the config file are invalid; the old ones stay. */
  | { readonly kind: 'logins-refused'; readonly reason: string }
  | { readonly kind: 'region-created'; readonly region: string }
  | EntriesExpired
  | { readonly kind: 'region-altered'; readonly region: string }
  | { readonly kind: 'region-destroyed'; readonly region: string }
  | { readonly kind: 'index-created'; readonly region: string; readonly index: string }
  | { readonly kind: 'index-dropped'; readonly region: string; readonly index: string }
  | {
      readonly kind: 'named-query-changed';
      readonly queryId: string;
      readonly change: 'created' | 'updated' | 'deleted';
    }
  /** A repeat of a request with an idempotency key got the first answer. */
  | { readonly kind: 'answer-replayed' }
  | { readonly kind: 'bulk-finished'; readonly succeeded: number; readonly failed: number }
  | { readonly kind: 'sample-loaded'; readonly entries: number; readonly ms: number };

/**
 * One answered request. The request's own context object may be passed: sinks
 * read these members and keep no reference.
 */
export interface RequestFinished {
  readonly kind: 'request-finished';
  readonly requestId: string;
  readonly method: string;
  /** The pattern of the route table, for example `/grid-api/v1/{region}`; never the path itself. */
  readonly route: string;
  /** The raw path as sent, without its query part. */
  readonly path: string;
  readonly status: number;
  /** Body bytes sent. */
  readonly bytes: number;
  readonly ms: number;
  /** The error code of the answer; absent for a success. */
  readonly code?: string;
  /** The named query of the request; reported only with a failure. */
  readonly queryId?: string;
  /** The code of the failure for which a begun answer was cut off; absent for whole answers. */
  readonly cutBy?: string;
}

/** A change feed or a live query has ended; its request was finished when it began. */
export interface StreamEnded {
  readonly kind: 'stream-ended';
  readonly requestId: string;
  /** Its kind: `changes` or `live`. */
  readonly stream: string;
  readonly cause: string;
  readonly events: number;
  readonly bytes: number;
  readonly ms: number;
}

export type QueryOutcome =
  | 'completed'
  | 'failed'
  | 'timed-out'
  | 'cancelled'
  | 'low-memory'
  | 'refused';

/** Entries were removed because their time was over. */
export interface EntriesExpired {
  readonly kind: 'entries-expired';
  readonly entries: number;
  /** Delay of the earliest due entry. */
  readonly lagMs: number;
}

export interface QueryFinished {
  readonly kind: 'query-finished';
  /** Undefined for an ad-hoc query. */
  readonly queryId: string | undefined;
  readonly outcome: QueryOutcome;
  /** The error code, when it did not complete. */
  readonly code: string | undefined;
  readonly rows: number;
  /** From the request to the last row taken. */
  readonly ms: number;
  /** Part of it that the query waited for a slot. */
  readonly waitedMs: number;
}

/** Takes an observation; must not throw and must not block. */
export type Observe = (observation: Observation) => void;

/** For tests and embedding without sinks. */
export const observeNothing: Observe = () => undefined;

/** Hands each observation to every sink, in order. */
export function observeAll(sinks: readonly Observe[]): Observe {
  return (observation) => {
    for (const sink of sinks) sink(observation);
  };
}
