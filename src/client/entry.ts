// An entry of a region, and what a write of one takes and returns.

import type { RepeatOptions } from './transport.ts';

export interface Entry<Document> {
  readonly key: string;
  readonly value: Document;
  /** Number of the commit that wrote it; increases with every write, and is never reused. */
  readonly version: number;
  /** Expiry time, to the second; absent if it does not expire. */
  readonly expires?: Date;
}

export interface KeyedValue<Document> {
  readonly key: string;
  readonly value: Document;
}

export interface WriteOptions extends RepeatOptions {
  /** Write only when the entry has this version; otherwise `VersionDiffersError`. */
  readonly ifVersion?: number | undefined;
  /** Time to live: seconds, or an ISO 8601 duration; absent: the default of its region. */
  readonly ttl?: number | string | undefined;
}

export interface Written {
  readonly key: string;
  /** 0 in a region of type EMPTY, which stores nothing. */
  readonly version: number;
}
