// Every setting of the service. `Config` is the typed result; the table of settings
// (setting-table.ts) must have a row for each of its members, which the compiler checks.

import type { IndexKind, RegionType } from '../value/region-words.ts';
import type { AuthSettings } from './auth-settings.ts';

export interface Config {
  readonly http: {
    readonly host: string;
    readonly port: number;
    readonly insecure: boolean;
    readonly advertise: readonly string[];
    readonly allowedHosts: readonly string[];
    readonly corsOrigins: readonly string[];
    readonly directReader: boolean;
    readonly unknownParameters: 'refuse' | 'ignore';
    readonly publicUrl: string;
    readonly trustedProxies: readonly string[];
    readonly compression: boolean;
    readonly dialects: readonly ('geode' | 'gemfire-api')[];
    readonly drainTimeoutMs: number;
    readonly drainLingerMs: number;
  };
  readonly tls: {
    readonly certificateFile: string;
    readonly keyFile: string;
    readonly keyPassphrase: string;
  };
  readonly store: {
    readonly engine: 'sqlite' | 'memory' | 'postgres';
    readonly directory: string;
    readonly url: string;
    readonly password: string;
    readonly passwordFile: string;
    readonly maxSnapshots: number;
    readonly durability: 'always' | 'relaxed';
  };
  readonly changes: {
    readonly maxCount: number;
    readonly maxAgeMs: number;
  };
  readonly feeds: {
    readonly maxOpen: number;
    readonly maxOpenPerLogin: number;
  };
  readonly query: {
    readonly maxExecutionTimeMs: number;
    readonly criticalHeapPercentage: number;
    readonly maxConcurrent: number;
    readonly maxWaiting: number;
    readonly maxWaitMs: number;
    readonly maxRowsKept: number;
  };
  readonly live: {
    readonly interval: number;
    readonly maxQueries: number;
    readonly maxRows: number;
    readonly memoryBudgetBytes: number;
    readonly maxRunMs: number;
  };
  readonly columns: {
    readonly memoryBudgetBytes: number;
  };
  readonly errors: {
    readonly trace: 'safe' | 'full' | 'off';
  };
  readonly log: {
    readonly level: 'error' | 'warn' | 'info' | 'debug';
    readonly format: 'auto' | 'json' | 'readable';
    readonly requests: boolean;
  };
  readonly testing: {
    readonly fault: string;
  };
  readonly limits: {
    readonly headersTimeoutMs: number;
    readonly requestTimeoutMs: number;
    readonly timeoutCheckIntervalMs: number;
    readonly keepAliveTimeoutMs: number;
    readonly socketIdleTimeoutMs: number;
    readonly stalledReaderTimeoutMs: number;
    readonly answerBytesPerSecond: number;
    readonly answerTimeoutMs: number;
    readonly streams: number;
    readonly streamsPerClient: number;
    readonly connections: number;
    readonly requestsInFlight: number;
    readonly headerBytes: number;
    readonly headerCount: number;
    readonly urlBytes: number;
    readonly keysPerRequest: number;
    readonly keyBytes: number;
    readonly valueBytes: number;
    readonly bodyBytes: number;
    readonly bodyBytesInFlight: number;
    readonly bodyBytesPerSecond: number;
    readonly jsonDepth: number;
    readonly oqlTextLength: number;
    readonly oqlNesting: number;
    readonly oqlPlaceholders: number;
    readonly idempotencyKeepMs: number;
    readonly bulkUnpackedBytes: number;
    readonly bulkAtomicItems: number;
  };
}

/** `http.port`, `query.max-execution-time-ms`, …: one for each member of `Config`. */
export type SettingPath = {
  [G in keyof Config & string]: `${G}.${Kebab<keyof Config[G] & string>}`;
}[keyof Config & string];

/** `maxRowsKept` → `max-rows-kept`. */
type Kebab<S extends string> = S extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `-${Lowercase<First>}`}${Kebab<Rest>}`
  : S;

/**
 * The declarations of the config file: regions and queries, which are created at start if absent
 * and never changed or removed; and logins. Without `auth` authentication is off.
 */
export interface Declarations {
  readonly regions: readonly DeclaredRegion[];
  readonly queries: readonly DeclaredQuery[];
  readonly auth?: AuthSettings;
}

export interface DeclaredRegion {
  readonly name: string;
  readonly type: RegionType;
  readonly keyConstraint: string | null;
  readonly valueConstraint: string | null;
  /** As written; the grid checks them. */
  readonly settings?: DeclaredSettings;
  readonly indexes: readonly DeclaredIndex[];
}

export interface DeclaredSettings {
  readonly history?: unknown;
  readonly entryTtl?: unknown;
  readonly maxTtl?: unknown;
}

export interface DeclaredIndex {
  readonly name: string;
  readonly expression: string;
  /** Absent: the region itself. */
  readonly from?: string;
  readonly kind: IndexKind;
  readonly unique?: boolean;
}

export interface DeclaredQuery {
  readonly id: string;
  readonly oql: string;
}

export type SettingValue = string | number | boolean | readonly string[];

/** Where a value came from: `--port`, `GRIDKEEP_HTTP_PORT`, `gridkeep.yaml:3`, or `default`. */
export interface SettingOrigin {
  readonly source: 'flag' | 'environment' | 'file' | 'default';
  readonly name: string;
}

/** One line of the effective configuration; a secret's value is masked. */
export interface EffectiveSetting {
  readonly path: string;
  readonly value: SettingValue;
  readonly origin: SettingOrigin;
}
