// The intents: typed requests. Each request is parsed once into an intent. The permission check
// (handlers/handlers.ts) and the handler receive the intent, never the raw request, so they cannot
// read it differently.
//
//   route → parse(request) → intent → authorise(intent) → handle(intent)

import type {
  ChangeOperation,
  FeedStart,
  FeedValues,
  Moment,
  ParameterRequest,
  Precondition,
} from '../../grid/index.ts';
import type { RequestError } from '../errors.ts';
import type { PageParameters } from '../request/page-parameters.ts';
import type { LastLine, WriteOperation } from '../request/parameters.ts';
import type { RowForm } from '../response/media-types.ts';
import type { StreamForm } from '../streams/stream-form.ts';

/** Answered without a login. */
export type PublicIntent =
  | { readonly kind: 'live' }
  | { readonly kind: 'ready' }
  | { readonly kind: 'read-openapi' }
  | { readonly kind: 'redirect-to-page'; readonly location: string }
  | ReadFile;

/** Needs a login, and most of them a permission, while authentication is on. */
export type GuardedIntent =
  | RegionIntent
  | EntryIntent
  | QueryIntent
  | ManagementIntent
  | ServiceIntent
  | FunctionIntent;

export type Intent = PublicIntent | GuardedIntent;

export type IntentKind = Intent['kind'];

export type IntentOf<K extends IntentKind> = Extract<Intent, { readonly kind: K }>;

/** A page of the service, or a file that it loads. */
export interface ReadFile {
  readonly kind: 'read-file';
  readonly site: 'console' | 'docs';
  /** The path below that of the page; empty for the page itself. */
  readonly name: string;
  readonly ifNoneMatch: string | undefined;
}

type RegionIntent =
  | { readonly kind: 'list-regions' }
  | ReadRegion
  | ReadPage
  | CountRegion
  | { readonly kind: 'list-keys'; readonly region: string }
  | { readonly kind: 'clear-region'; readonly region: string }
  | ReadChanges;

/** The requested moment; absent: now. */
interface AtMoment {
  readonly at?: Moment | undefined;
}

export interface CountRegion extends AtMoment {
  readonly kind: 'count-region';
  readonly region: string;
}

export interface ReadRegion {
  readonly kind: 'read-region';
  readonly region: string;
  /** An invalid limit is an error here, thrown later: an unknown region takes precedence. */
  readonly limit: number | 'ALL' | RequestError;
}

/** A page of entries or keys in key order, selected and shown as the parameters say. */
export interface ReadPage {
  readonly kind: 'read-page';
  readonly region: string;
  readonly page: PageParameters;
}

/** The changes of regions, as a page or as a stream. */
export interface ReadChanges {
  readonly kind: 'read-changes';
  /** Undefined: all that the login may read. */
  readonly regions: readonly string[] | undefined;
  readonly start: FeedStart;
  readonly form: 'json' | StreamForm;
  /** Long poll: how long to wait when there are no changes. */
  readonly waitMs: number;
  /** Maximum changes of a page. */
  readonly limit: number;
  readonly values: FeedValues;
  readonly where: string | undefined;
  readonly keys: readonly string[] | undefined;
  readonly prefix: string | undefined;
  /** Undefined: all. */
  readonly operations: readonly ChangeOperation[] | undefined;
  readonly heartbeatMs: number;
  /** The address without `since`, for the next page: path and parameters as they came. */
  readonly address: string;
}

type EntryIntent =
  | ReadEntries
  | AddEntry
  | WriteEntries
  | PatchEntry
  | RemoveEntries
  | ListVersions
  | RestoreEntry
  | Transact
  | Bulk;

/** The time to live of the written entries; absent: the region's default. */
interface WithTtl {
  readonly ttlMs?: number | undefined;
}

/** A request that is executed once, even if it is sent again with the same key. */
interface Idempotent {
  readonly idempotencyKey?: string | undefined;
}

/** One page of the versions of an entry, latest first. */
export interface ListVersions {
  readonly kind: 'list-versions';
  readonly region: string;
  readonly key: string;
  readonly below: number;
  readonly limit: number;
}

/** Restores the value of an earlier version. */
export interface RestoreEntry {
  readonly kind: 'restore-entry';
  readonly region: string;
  readonly key: string;
  readonly version: number;
  readonly preconditions: readonly Precondition[];
}

export interface ReadEntries extends AtMoment {
  readonly kind: 'read-entries';
  readonly region: string;
  readonly keys: readonly string[];
  /** The result for a key that does not exist: null, or an error. */
  readonly missing: 'ignored' | 'refused';
  readonly ifNoneMatch: string | undefined;
}

/** Writes one entry that does not exist yet; its value is the body. */
export interface AddEntry extends Idempotent, WithTtl {
  readonly kind: 'add-entry';
  readonly region: string;
  /** Undefined: the service generates one. */
  readonly key: string | undefined;
  readonly preconditions: readonly Precondition[];
}

/** The body is the value of one key, or an array with one value per key. */
export interface WriteEntries extends Idempotent, WithTtl {
  readonly kind: 'write-entries';
  readonly region: string;
  readonly keys: readonly string[];
  readonly operation: WriteOperation;
  readonly preconditions: readonly Precondition[];
}

/** The body is the patch. */
export interface PatchEntry extends Idempotent, WithTtl {
  readonly kind: 'patch-entry';
  readonly region: string;
  readonly key: string;
  /** `merge`: RFC 7396. `operations`: RFC 6902. */
  readonly patch: 'merge' | 'operations';
  /** The contents of the answer. */
  readonly returns: 'nothing' | 'value';
  readonly preconditions: readonly Precondition[];
}

export interface RemoveEntries extends Idempotent {
  readonly kind: 'remove-entries';
  readonly region: string;
  readonly keys: readonly string[];
  readonly preconditions: readonly Precondition[];
}

/** The body has one operation a line, or is an array of operations. */
export interface Bulk extends Idempotent {
  readonly kind: 'bulk';
  readonly region: string;
  readonly form: 'lines' | 'array';
  /** All operations as one commit. */
  readonly isAtomic: boolean;
  /** `stream`: one line for each item. */
  readonly results: 'summary' | 'stream';
}

/** Conditions and operations are the body. */
export interface Transact extends Idempotent {
  readonly kind: 'transact';
  /** `roll-back`: everything is executed and nothing is committed. */
  readonly end: 'keep' | 'roll-back';
}

type QueryIntent =
  | { readonly kind: 'list-queries' }
  | { readonly kind: 'read-query'; readonly queryId: string }
  | CreateQuery
  | UpdateQuery
  | { readonly kind: 'delete-query'; readonly queryId: string }
  | RunNamedQuery
  | RunAdhocQuery
  | FollowNamedQuery
  | FollowAdhocQuery;

/** How a live query is sent. */
export interface LiveAnswer {
  readonly form: StreamForm;
  readonly heartbeatMs: number;
  /** The sequence of the rows that a reconnecting client has. */
  readonly resumeAt: number | undefined;
}

export interface FollowNamedQuery extends LiveAnswer {
  readonly kind: 'follow-named-query';
  readonly queryId: string;
  readonly parameters: readonly ParameterRequest[];
}

export interface FollowAdhocQuery extends LiveAnswer {
  readonly kind: 'follow-adhoc-query';
  /** Undefined: text and parameters are in the body. */
  readonly query:
    | { readonly oql: string; readonly parameters: readonly ParameterRequest[] }
    | undefined;
}

export interface CreateQuery {
  readonly kind: 'create-query';
  /** Undefined: the body has id and text. */
  readonly queryId: string | undefined;
  readonly oql: string | undefined;
  /** Whether the text must compile. */
  readonly check: boolean;
  /** Whether members that no document has are errors. */
  readonly isStrict: boolean;
}

export interface UpdateQuery {
  readonly kind: 'update-query';
  readonly queryId: string;
  readonly oql: string;
  readonly check: boolean;
  readonly isStrict: boolean;
}

/** The form of a plan: JSON of its own media type, plain JSON if only that is accepted, or text. */
export type PlanType = 'application/vnd.gridkeep.plan+json' | 'application/json' | 'text/plain';

/** How to run a query, and which form its answer has. */
export interface QueryOptions extends AtMoment {
  readonly timeoutMs: number | undefined;
  /** Whether members that no document has are errors. */
  readonly isStrict: boolean;
  /** `estimate`: the plan. `analyze`: the plan with figures of a run. */
  readonly answer: 'rows' | 'estimate' | 'analyze';
  /** The media type of a plan. */
  readonly planType: PlanType;
  /** The form of rows in the answer: a JSON array, or one per line. */
  readonly form: RowForm;
  readonly end: LastLine;
  /** Only of the method QUERY. */
  readonly safe?: SafeQuery;
}

/** A query by the method QUERY, which is safe and idempotent, and may be answered 304. */
export interface SafeQuery {
  readonly ifNoneMatch: string | undefined;
  /** The kind of body: JSON, or the text of a query. */
  readonly content: 'json' | 'oql';
}

/** The bind parameters are the body. */
export interface RunNamedQuery extends QueryOptions {
  readonly kind: 'run-named-query';
  readonly queryId: string;
}

export interface RunAdhocQuery extends QueryOptions {
  readonly kind: 'run-adhoc-query';
  /** Undefined: text and bind parameters are in the body. */
  readonly oql: string | undefined;
}

type ManagementIntent =
  | { readonly kind: 'create-region' }
  | { readonly kind: 'describe-regions' }
  | { readonly kind: 'describe-region'; readonly region: string }
  | { readonly kind: 'read-schema'; readonly region: string; readonly sample: number }
  | { readonly kind: 'alter-region'; readonly region: string }
  | { readonly kind: 'destroy-region'; readonly region: string }
  | { readonly kind: 'create-index'; readonly region: string }
  | { readonly kind: 'list-indexes'; readonly region: string }
  | { readonly kind: 'describe-index'; readonly region: string; readonly index: string }
  | { readonly kind: 'drop-index'; readonly region: string; readonly index: string }
  | { readonly kind: 'list-running-queries' }
  | { readonly kind: 'read-query-statistics' }
  | { readonly kind: 'cancel-query'; readonly runningId: string }
  | { readonly kind: 'read-config' }
  | { readonly kind: 'read-stats' };

type ServiceIntent =
  | { readonly kind: 'list-servers' }
  | { readonly kind: 'read-login' }
  | { readonly kind: 'ping' }
  | { readonly kind: 'read-metrics' };

/** Only dialects have these. */
export type FunctionIntent =
  | { readonly kind: 'list-functions' }
  | { readonly kind: 'run-function'; readonly functionId: string };
