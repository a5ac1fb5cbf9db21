// The engine for several servers that share a PostgreSQL database. Writes are sent in batches under
// one commit lock, reads in separate batches. A server keeps its memory current by following the
// change log. See docs/clustering.md.

import type { Client, ClientBase } from 'pg';
import {
  DEFAULT_MAX_CHANGE_AGE_MS,
  DEFAULT_MAX_CHANGES,
  DEFAULT_MAX_SNAPSHOTS,
} from '../../value/default-limits.ts';
import { CommitCounts } from '../commit-counts.ts';
import type {
  AddIndexOutcome,
  AlterRegionOutcome,
  ChangesOutcome,
  ChangesWanted,
  CommitEnd,
  CommitOutcome,
  DropIndexOutcome,
  Engine,
  EngineListener,
  ReadSignal,
  Region,
  RegionDefinition,
  RegionDescription,
  RegionWrite,
  SequenceAtOutcome,
  Snapshot,
} from '../engine.ts';
import type { EngineHealth, EngineStats } from '../engine-stats.ts';
import { checkRead, checkWrites } from '../entry-limits.ts';
import { engineClosed } from '../errors.ts';
import type { IndexDefinition } from '../index-definition.ts';
import type { RegionAlteration } from '../region-settings.ts';
import { beginSnapshot } from './begin-snapshot.ts';
import {
  type Connector,
  DEFAULT_TIMEOUT_MS,
  openConnector,
  type StoreOptions,
} from './connector.ts';
import { Follower, readTimeline } from './follower.ts';
import { listAlive, trimLog } from './housekeeping.ts';
import { HousekeepingLoop } from './housekeeping-loop.ts';
import { Link } from './link.ts';
import { loadState } from './load-state.ts';
import { isLost, toEngineError, whyUnreadable } from './postgres-errors.ts';
import { PostgresRegion, type RegionContext } from './postgres-region.ts';
import { PostgresSnapshot } from './postgres-snapshot.ts';
import { ReadBatches } from './read-batches.ts';
import { readFirst } from './read-first.ts';
import { findSequenceAt, readChanges } from './recorded-changes.ts';
import { prepareSchema } from './schema.ts';
import { registerServer, type ServerIdentity } from './server-identity.ts';
import { SnapshotPool } from './snapshot-pool.ts';
import type { StoreState } from './store-state.ts';
import { WakeUp } from './wake-up.ts';
import type { CommitRequest, Submit } from './write-batch.ts';
import { WriteQueue } from './write-queue.ts';

export interface PostgresEngineOptions extends StoreOptions {
  /** Changes kept for `readChanges` and for servers that were away, and for how long. */
  readonly maxChanges?: number;
  readonly maxChangeAgeMs?: number;
  /** Version of this program, shown to the other servers. */
  readonly version?: string;
  /** Snapshots open at once; each is a connection. */
  readonly maxSnapshots?: number;
  /** Deliberate faults for tests; no setting of the service reaches them. */
  readonly testing?: {
    /** Reports a lost batch as not committed: tests of cut connections must detect this fault. */
    readonly forgetsLostBatches?: true;
    /** Polling interval of the log; with a long one only hints make a server catch up. */
    readonly pollMs?: number;
  };
}

const READERS = 2;
/** The log is polled while idle too, so that there is never much to catch up with. */
const POLL_MS = 250;
const BEAT_MS = 2000;
const HOUSEKEEPING_MS = 30_000;

/** Creates the schema when it is absent; throws when the store is unreachable or newer. */
export async function openPostgresEngine(options: PostgresEngineOptions): Promise<Engine> {
  const { address, connector, shownAddress } = await openConnector(options);
  const timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  const createLink = (): Link => new Link(connector, timeoutMs);
  const writer = createLink();
  try {
    const opened = await writer.use(async (client) => {
      await prepareSchema(client, address.schema);
      const identity = { urls: '', version: options.version ?? '' };
      const server: ServerIdentity = { ...identity, ...(await registerServer(client, identity)) };
      return { server, state: await loadState(client), timeline: await readTimeline(client) };
    });
    const links = {
      writer,
      follower: createLink(),
      pages: createLink(),
      housekeeping: new Link(connector, timeoutMs, 'relaxed'),
    };
    const readers = Array.from({ length: READERS }, () => createLink());
    const { server } = opened;
    const wakeUp = new WakeUp(links.housekeeping, address.schema, server);
    const follower = new Follower(links.follower, wakeUp, opened);
    // From here on the follower receives hints.
    await follower.catchUp();
    return new PostgresEngine({
      options,
      address: shownAddress,
      connector,
      links,
      readers,
      follower,
      wakeUp,
      server,
    });
  } catch (error) {
    await writer.close();
    throw toEngineError(error, shownAddress);
  }
}

interface EngineParts {
  readonly options: PostgresEngineOptions;
  readonly address: string;
  readonly connector: Connector;
  readonly links: Readonly<Record<'writer' | 'follower' | 'pages' | 'housekeeping', Link>>;
  readonly readers: readonly Link[];
  readonly follower: Follower;
  readonly wakeUp: WakeUp;
  readonly server: ServerIdentity;
}

class PostgresEngine implements Engine {
  readonly #parts: EngineParts;
  readonly #follower: Follower;
  readonly #queue: WriteQueue;
  readonly #reads: ReadBatches;
  readonly #pool: SnapshotPool;
  readonly #housekeeping: HousekeepingLoop;
  readonly #snapshots: Set<Snapshot> = new Set();
  readonly #regionContext: RegionContext;
  readonly #timers: NodeJS.Timeout[];
  readonly #counts = new CommitCounts();
  /** Position the log was trimmed to. */
  #trimmedTo = 0;
  #closing: Promise<void> | undefined;

  constructor(parts: EngineParts) {
    this.#parts = parts;
    this.#follower = parts.follower;
    this.#reads = new ReadBatches(parts.readers);
    const { maxSnapshots = DEFAULT_MAX_SNAPSHOTS } = parts.options;
    this.#pool = new SnapshotPool(parts.connector, maxSnapshots);
    const { links, server } = parts;
    this.#housekeeping = new HousekeepingLoop(links.housekeeping, server, this.#maxAgeMs);
    this.#queue = new WriteQueue({
      link: links.writer,
      follower: parts.follower,
      server,
      address: parts.address,
      isOutage: () => parts.connector.outage !== undefined,
      forgetsLostBatches: parts.options.testing?.forgetsLostBatches === true,
      onCommitted: (writes, seconds) => {
        this.#counts.add(writes, seconds);
        parts.wakeUp.send();
      },
      onIdle: (client) => this.#trim(client),
    });
    this.#regionContext = {
      current: async (name, id) => {
        await this.catchUp();
        return this.#follower.state.findById(name, id);
      },
      read: (id, keys) => this.#guarded(() => this.#reads.read(id, keys)),
      readFirst: (id, limit) => this.#guardedRead((client) => readFirst(client, id, limit)),
      submit: this.#submit,
    };
    const { pollMs = POLL_MS } = parts.options.testing ?? {};
    this.#timers = [
      setInterval(() => void this.#follower.catchUp().catch(() => undefined), pollMs),
      setInterval(() => void parts.connector.probe().catch(() => undefined), BEAT_MS),
      setInterval(() => void this.#housekeeping.keepAlive().catch(() => undefined), BEAT_MS),
      // A failure is retried at the next round.
      setInterval(() => void this.#housekeeping.run().catch(() => undefined), HOUSEKEEPING_MS),
    ];
    for (const timer of this.#timers) timer.unref();
  }

  async describeRegions(): Promise<readonly RegionDescription[]> {
    await this.catchUp();
    return this.#follower.state.describe();
  }

  async openRegion(name: string): Promise<Region | undefined> {
    await this.catchUp();
    const region = this.#follower.state.find(name);
    return region === undefined ? undefined : new PostgresRegion(region, this.#regionContext);
  }

  createRegion(definition: RegionDefinition): Promise<'created' | 'exists'> {
    return this.#submit({ kind: 'create-region', definition });
  }

  destroyRegion(name: string): Promise<'destroyed' | 'missing'> {
    return this.#submit({ kind: 'destroy-region', region: name });
  }

  alterRegion(name: string, alteration: RegionAlteration): Promise<AlterRegionOutcome> {
    return this.#submit({ kind: 'alter-region', region: name, alteration });
  }

  addIndex(region: string, index: IndexDefinition): Promise<AddIndexOutcome> {
    return this.#submit({ kind: 'add-index', region, index });
  }

  dropIndex(region: string, index: string): Promise<DropIndexOutcome> {
    return this.#submit({ kind: 'drop-index', region, index });
  }

  async commit(writes: readonly RegionWrite[], end: CommitEnd = 'keep'): Promise<CommitOutcome> {
    checkWrites(writes);
    let outcome = await this.#commitTo(writes, end);
    // A region that another server destroyed and created again has a new id.
    if (outcome.kind === 'region-missing') outcome = await this.#commitTo(writes, end);
    if (outcome.kind === 'committed') checkRead(outcome.reads.flat());
    return outcome;
  }

  async #commitTo(writes: readonly RegionWrite[], end: CommitEnd): Promise<CommitOutcome> {
    const find = (name: string): number | undefined => this.#follower.state.find(name)?.id;
    if (!writes.every(({ region }) => find(region) !== undefined) || writes.length === 0) {
      await this.catchUp();
    }
    const version = this.#follower.state.sequence;
    if (writes.length === 0) return { kind: 'committed', version, reads: [] };
    const found: CommitRequest['writes'][number][] = [];
    for (const write of writes) {
      const regionId = find(write.region);
      if (regionId === undefined) return { kind: 'region-missing', region: write.region };
      found.push({ ...write, regionId });
    }
    return this.#submit({ kind: 'commit', writes: found, end });
  }

  async openSnapshot(signal?: ReadSignal): Promise<Snapshot> {
    return this.#guarded(async () => {
      const untilMs = performance.now() + this.#timeoutMs;
      for (;;) {
        const client = await this.#pool.acquire(signal);
        try {
          const state = await beginSnapshot(client, this.#follower, this.#timeoutMs);
          if (state !== undefined) return this.#toSnapshot(client, state);
          this.#pool.release(client, 'snapshot', 'idle');
        } catch (error) {
          this.#pool.release(client, 'snapshot', 'broken');
          // Nothing was read yet: a connection that was lost is replaced, as for any other read.
          if (!isLost(error) || this.#closing !== undefined || performance.now() >= untilMs) {
            throw error;
          }
        }
      }
    });
  }

  #toSnapshot(client: Client, state: StoreState): Snapshot {
    const { address } = this.#parts;
    const onClose = (): void => void this.#snapshots.delete(snapshot);
    const snapshot = new PostgresSnapshot({ client, state, pool: this.#pool, address, onClose });
    this.#snapshots.add(snapshot);
    return snapshot;
  }

  catchUp(): Promise<void> {
    return this.#guarded(() => this.#follower.catchUp());
  }

  subscribe(listener: EngineListener): () => void {
    return this.#follower.subscribe(listener);
  }

  readChanges(
    afterSequence: number,
    limit: number,
    wanted: ChangesWanted = {},
  ): Promise<ChangesOutcome> {
    const range = { afterSequence, limit };
    return this.#guardedRead((client) => readChanges(client, range, wanted));
  }

  findSequenceAt(atMs: number): Promise<SequenceAtOutcome> {
    return this.#guardedRead((client) => findSequenceAt(client, atMs));
  }

  listServers(): Promise<readonly string[]> {
    return this.#guardedRead(listAlive);
  }

  async announce(urls: readonly string[]): Promise<void> {
    this.#parts.server.urls = urls.join(' ');
    await this.#guarded(() => this.#housekeeping.beat());
  }

  /** The follower polls the store, so it detects the beginning and the end of an outage. */
  health(): EngineHealth {
    if (this.#closing !== undefined) return {};
    const { address, connector } = this.#parts;
    const unreadable = connector.outage?.message ?? whyUnreadable(this.#follower.failure, address);
    if (unreadable !== undefined) return { unreadable, unwritable: unreadable };
    return this.#queue.unwritable === undefined ? {} : { unwritable: this.#queue.unwritable };
  }

  stats(): EngineStats {
    return {
      sequence: this.#follower.state.sequence,
      ...this.#counts.read(),
      openSnapshots: this.#snapshots.size,
      fileBytes: this.#housekeeping.storeBytes,
    };
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    this.#housekeeping.stop();
    this.#parts.wakeUp.stop();
    await this.#queue.drain();
    for (const snapshot of this.#snapshots) snapshot.close();
    const { connector, links, server } = this.#parts;
    if (connector.outage === undefined) {
      const forget = (client: Client): Promise<unknown> =>
        client.query('DELETE FROM servers WHERE id = $1', [server.id]);
      await links.writer.use(forget).catch(() => undefined);
    }
    connector.close();
    await Promise.all([
      this.#reads.close(),
      this.#pool.close(),
      ...Object.values(links).map((link) => link.close()),
    ]);
    this.#follower.unsubscribeAll();
  }

  /** Turns the driver's errors into the port's. */
  async #guarded<T>(work: () => Promise<T>): Promise<T> {
    if (this.#closing !== undefined) throw engineClosed();
    try {
      return await work();
    } catch (error) {
      throw toEngineError(error, this.#parts.address);
    }
  }

  #guardedRead<T>(work: (client: Client) => Promise<T>): Promise<T> {
    return this.#guarded(() => this.#parts.links.pages.read(work));
  }

  readonly #submit: Submit = (request) =>
    this.#closing === undefined ? this.#queue.submit(request) : Promise.reject(engineClosed());

  async #trim(client: ClientBase): Promise<void> {
    const { maxChanges = DEFAULT_MAX_CHANGES } = this.#parts.options;
    const { position } = this.#follower.state;
    if (position - this.#trimmedTo <= maxChanges * 1.1) return;
    const isMore = await trimLog(client, position - maxChanges, this.#maxAgeMs);
    // A long log is trimmed in parts, one after each commit.
    if (!isMore) this.#trimmedTo = position - maxChanges;
  }

  get #timeoutMs(): number {
    return this.#parts.options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  }

  get #maxAgeMs(): number {
    return this.#parts.options.maxChangeAgeMs ?? DEFAULT_MAX_CHANGE_AGE_MS;
  }
}
