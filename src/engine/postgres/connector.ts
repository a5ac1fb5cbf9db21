// Opens connections to the primary. Of several hosts it takes the first that reports to be the
// primary, so it follows a fail-over.

import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from 'pg';
import { type EngineError, engineClosed, storeUnreachable } from '../errors.ts';
import { describeRefusal, SharedSession } from './connection-refusal.ts';
import { parseStoreUrl, printAddress, type StoreAddress, tlsOptions } from './connection-url.ts';

/** The part of the driver that is used; it is loaded on demand. */
type Driver = Pick<typeof import('pg'), 'Client'>;

/** `relaxed`: a commit is acknowledged before it is on disk. */
export type Durability = 'always' | 'relaxed';

interface SessionOptions {
  /** Defaults to that of the store. */
  readonly durability?: Durability | undefined;
  /** The store ends a transaction, and its connection, when it hears nothing for this long. */
  readonly idleTransactionMs?: number;
}

/** The options that every connection to a store needs. */
export interface StoreOptions {
  /** `postgres://user@host1,host2/database?sslmode=…&sslrootcert=…&schema=…` */
  readonly url: string;
  readonly password?: string | undefined;
  /** `always`: as durable as the store's own settings make a commit. `relaxed`: acknowledged earlier. */
  readonly durability?: Durability;
  /** Time limit of a statement; waiting for a lock may take half of it, so that it ends cleanly. */
  readonly timeoutMs?: number;
  /** Requests wait out a shorter outage; during a longer one they fail at once. */
  readonly patienceMs?: number;
  /** The same for the first connection: database and servers may start together. */
  readonly startPatienceMs?: number;
}

export const DEFAULT_TIMEOUT_MS = 10_000;
/** Time limit for one host to accept a connection. */
const CONNECT_TIMEOUT_MS = 3000;
const DEFAULT_PATIENCE_MS = 3000;
const START_PATIENCE_MS = 15_000;

/** Loads the driver, which other engines do not need. */
export async function openConnector(options: StoreOptions): Promise<{
  readonly connector: Connector;
  readonly address: StoreAddress;
  /** See `printAddress`. */
  readonly shownAddress: string;
}> {
  const address = parseStoreUrl(options.url);
  const { default: driver } = await import('pg');
  const connector = new Connector(driver, address, options);
  return { connector, address, shownAddress: printAddress(address) };
}

/** Pause between two attempts over all hosts. */
const PAUSE_MS = 50;
/** During a longer outage hosts are tried this often, however many requests arrive. */
const PROBE_MS = 500;
/** An idle connection in a transaction holds back the store's vacuum. */
const IDLE_TRANSACTION_MS = 10 * 60 * 1000;
/**
 * Set in every session. A new connection that finds it has got the session of an earlier one, from a
 * pooler that hands out sessions by transaction.
 */
const SESSION_MARK = 'gridkeep.session';

export class Connector {
  readonly #address: StoreAddress;
  readonly #options: StoreOptions;
  readonly #driver: Driver;
  /** Index of the last known primary, which is tried first. */
  #preferred = 0;
  #downSince: number | undefined;
  #lastFailure: { readonly at: number; readonly error: EngineError } | undefined;
  #isClosed = false;
  #isProbing = false;
  /** Whether a connection ever succeeded; until then failures are retried for longer. */
  #isStarted = false;

  constructor(driver: Driver, address: StoreAddress, options: StoreOptions) {
    this.#driver = driver;
    this.#address = address;
    this.#options = options;
  }

  /** Why the store cannot be reached; undefined when it can, as far as is known. */
  get outage(): EngineError | undefined {
    return this.#downSince === undefined ? undefined : this.#lastFailure?.error;
  }

  /** A connection to the primary; throws `engine/unreachable` when `patienceMs` has passed. */
  async connect(session: SessionOptions = {}): Promise<Client> {
    for (;;) {
      if (this.#isClosed) throw engineClosed();
      this.#failFast();
      const client = await this.#tryHosts(session);
      if (client !== undefined) {
        this.#downSince = undefined;
        this.#isStarted = true;
        return client;
      }
      if (this.#isOutageLong()) this.#failFast();
      await delay(PAUSE_MS);
    }
  }

  /**
   * Checks whether an outage is over. Requests may not find out: they use connections that are open,
   * and none arrive while the server is not ready.
   */
  async probe(): Promise<void> {
    if (this.#downSince === undefined || this.#isProbing) return;
    this.#isProbing = true;
    try {
      const client = await this.connect();
      await client.end();
    } finally {
      this.#isProbing = false;
    }
  }

  close(): void {
    this.#isClosed = true;
  }

  #isOutageLong(): boolean {
    const since = this.#downSince ?? Number.POSITIVE_INFINITY;
    const { patienceMs = DEFAULT_PATIENCE_MS, startPatienceMs = START_PATIENCE_MS } = this.#options;
    return performance.now() - since > (this.#isStarted ? patienceMs : startPatienceMs);
  }

  #failFast(): void {
    const failure = this.#lastFailure;
    if (failure === undefined || !this.#isOutageLong()) return;
    if (performance.now() - failure.at < PROBE_MS) throw failure.error;
  }

  async #tryHosts(session: SessionOptions): Promise<Client | undefined> {
    const { hosts } = this.#address;
    const failures: string[] = [];
    let isFinal = !this.#isStarted;
    for (let i = 0; i < hosts.length; i += 1) {
      const at = (this.#preferred + i) % hosts.length;
      const host = hosts[at];
      if (host === undefined) continue;
      try {
        const client = await this.#open(host, session);
        this.#preferred = at;
        return client;
      } catch (error) {
        const refusal = describeRefusal(error, host.host);
        failures.push(`${host.host}:${host.port}: ${refusal.reason}`);
        isFinal &&= refusal.isFinal;
      }
    }
    const now = performance.now();
    this.#downSince ??= now;
    const error = storeUnreachable(failures.join('; '));
    this.#lastFailure = { at: now, error };
    // Retrying is useless when, for example, the password is wrong.
    if (isFinal) throw error;
    return undefined;
  }

  async #open(
    { host, port }: StoreAddress['hosts'][number],
    session: SessionOptions,
  ): Promise<Client> {
    const address = this.#address;
    const client = new this.#driver.Client({
      host,
      port,
      user: address.user,
      database: address.database,
      password: this.#options.password ?? '',
      ssl: tlsOptions(address),
      application_name: 'gridkeep',
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
    });
    // The next use detects a connection that broke while idle.
    client.on('error', () => undefined);
    try {
      await client.connect();
      const { rows } = await client.query(
        `SELECT pg_is_in_recovery() AS standby, current_setting('synchronous_commit') AS synchronous,
           current_setting('${SESSION_MARK}', true) AS mark`,
      );
      if (rows[0]?.standby !== false) throw new Error('it is a standby');
      if (rows[0].mark === 'used') throw new SharedSession();
      const settings = sessionSettings(this.#options, session, String(rows[0].synchronous));
      await client.query([`SET search_path TO ${address.schema}`, ...settings].join('; '));
      return client;
    } catch (error) {
      void client.end().catch(() => undefined);
      throw error;
    }
  }
}

function sessionSettings(
  { durability: ofStore = 'always', timeoutMs = DEFAULT_TIMEOUT_MS }: StoreOptions,
  { durability = ofStore, idleTransactionMs = IDLE_TRANSACTION_MS }: SessionOptions,
  synchronous: string,
): readonly string[] {
  const settings = [
    "SET client_encoding TO 'UTF8'",
    `SET idle_in_transaction_session_timeout TO ${idleTransactionMs}`,
    `SET lock_timeout TO ${timeoutMs / 2}`,
    'SET statement_timeout TO 0',
    // Scans in key order must use the index, never sort a whole region.
    'SET enable_sort TO off',
    'SET jit TO off',
    `SET ${SESSION_MARK} TO used`,
  ];
  if (durability === 'relaxed') settings.push('SET synchronous_commit TO off');
  else if (synchronous === 'off' || synchronous === 'local') {
    settings.push('SET synchronous_commit TO on');
  }
  return settings;
}
