// The live queries of a grid. Requests with the same text and parameters share one source; a source
// receives every commit that changes one of its regions. Without live queries nothing listens to
// commits.

import type { Commit, Engine } from '../../engine/engine.ts';
import type { LiveFigures } from '../../observe/live-metrics.ts';
import { tooManyLiveQueries } from '../errors.ts';
import type { GridLimits } from '../limits.ts';
import { QUERIES_REGION } from '../named-queries.ts';
import type { MayRead } from '../query/query-access.ts';
import type { QueryParts, QueryRunnerParts } from '../query/query-parts.ts';
import type { CheckRequest } from '../query/query-runner.ts';
import { LiveRuns, type LiveText, type PreparedLive } from './live-runs.ts';
import { LiveSource, type SourceParts } from './live-source.ts';
import { LiveStream } from './live-stream.ts';
import { LiveWork } from './live-work.ts';
import { type SourceChange, toSourceChange } from './source-changes.ts';

export interface LiveRequest extends Omit<LiveText, 'oql'> {
  /** The current text: that of a named query may change while it is followed. */
  readonly readText: () => string | Promise<string>;
  /** Which regions it may read; absent: all. */
  readonly mayRead?: MayRead;
  /** The sequence of the rows that a reconnecting consumer has. */
  readonly resumeAt?: number | undefined;
}

/** Refuses a text with an obvious mistake. */
type CheckText = (request: CheckRequest) => Promise<unknown>;

/** How long a result is kept for a reconnecting consumer. */
const LINGER_MS = 30_000;

export class LiveQueries {
  readonly #engine: Engine;
  readonly #limits: GridLimits;
  readonly #check: CheckText;
  readonly #pause: () => Promise<void>;
  readonly #runs: LiveRuns;
  readonly #work: LiveWork;
  readonly #sourceParts: SourceParts;
  readonly #sources = new Map<string, LiveSource>();
  readonly #byRegion = new Map<string, Set<LiveSource>>();
  readonly #streams = new Set<LiveStream>();
  /** Streams that wait for their first rows. */
  #opening = 0;
  readonly #byQueryId = new Map<string, Set<LiveStream>>();
  readonly #lingering = new Map<LiveSource, ReturnType<typeof setTimeout>>();
  /** Bytes of each source after its last work, and their sum. */
  readonly #sizes = new Map<LiveSource, number>();
  #sizeBytes = 0;
  #unsubscribe: (() => void) | undefined;
  #deltasSent = 0;
  #entriesEvaluated = 0;

  constructor(parts: QueryRunnerParts, shared: QueryParts, check: CheckText) {
    this.#engine = parts.engine;
    this.#check = check;
    this.#limits = parts.limits;
    this.#pause = parts.pause;
    this.#runs = new LiveRuns(parts, shared);
    const pause = (): Promise<void> => shared.turns.take();
    this.#work = new LiveWork(parts.now, pause, (source) => this.#checkSource(source));
    this.#sourceParts = {
      runs: this.#runs,
      limits: parts.limits,
      now: parts.now,
      pause,
      onEvaluated: () => {
        this.#entriesEvaluated += 1;
      },
    };
  }

  /** Opens a consumer of the live query. All errors before the first row are thrown here. */
  async open(request: LiveRequest): Promise<LiveStream> {
    const { maxLiveQueries } = this.#limits;
    const { queryId } = request;
    if (this.#streams.size + this.#opening >= maxLiveQueries) {
      throw tooManyLiveQueries(`${maxLiveQueries} are open`);
    }
    const findSource = (): Promise<LiveSource> => this.#acquire(request);
    this.#opening += 1;
    const source = await findSource().finally(() => {
      this.#opening -= 1;
    });
    const stream: LiveStream = new LiveStream(source, {
      findSource,
      release: (left) => this.#release(left),
      onDeltas: (count) => {
        this.#deltasSent += count;
      },
      onClose: () => {
        this.#streams.delete(stream);
        if (queryId !== undefined) removeFrom(this.#byQueryId, queryId, stream);
      },
      pause: this.#pause,
      resumeAt: request.resumeAt,
    });
    this.#streams.add(stream);
    if (queryId !== undefined) addTo(this.#byQueryId, queryId, stream);
    return stream;
  }

  figures(): LiveFigures {
    const sources = [...this.#sources.values()];
    const countConsumers = (way: LiveSource['way']): number =>
      sources.reduce((sum, source) => sum + (source.way === way ? source.consumers : 0), 0);
    return {
      followed: countConsumers('followed'),
      runAgain: countConsumers('run-again'),
      rows: sources.reduce((sum, { result }) => sum + result.rowCount, 0),
      bytes: this.#sizeBytes,
      deltasSent: this.#deltasSent,
      entriesEvaluated: this.#entriesEvaluated,
      runs: this.#runs.figures.runs,
      runSeconds: this.#runs.figures.seconds,
    };
  }

  close(): void {
    for (const stream of [...this.#streams]) stream.close();
    for (const source of [...this.#sources.values()]) this.#drop(source);
  }

  /** The source of a request, with rows; counts as one more consumer until it is released. */
  async #acquire(request: LiveRequest): Promise<LiveSource> {
    await this.#engine.catchUp();
    const { mayRead, parameters, queryId } = request;
    const oql = await request.readText();
    const text = { oql, parameters, ...(queryId === undefined ? {} : { queryId }) };
    const prepared = await this.#runs.prepare(text, mayRead);
    // Double quotes enclose a name; if no document has it, a string was probably meant.
    if (oql.includes('"')) await this.#check({ oql, mayRead });
    const source = this.#find(text, prepared);
    source.consumers += 1;
    clearTimeout(this.#lingering.get(source));
    this.#lingering.delete(source);
    const error = await source.refresh();
    this.#checkSource(source);
    this.#work.schedule(source);
    const failure = source.result.failure?.error ?? error;
    if (failure === undefined) return source;
    this.#release(source);
    throw failure;
  }

  #find(text: LiveText, prepared: PreparedLive): LiveSource {
    const parameters = text.parameters.map(({ json, name, type }) => [name, type, json]);
    const key = JSON.stringify([text.oql, parameters]);
    const known = this.#sources.get(key);
    if (known !== undefined) return known;
    const source = new LiveSource(key, text, prepared, this.#sourceParts);
    this.#add(source);
    return source;
  }

  #add(source: LiveSource): void {
    this.#sources.set(source.key, source);
    for (const region of source.regions) addTo(this.#byRegion, region, source);
    this.#unsubscribe ??= this.#engine.subscribe({
      onCommit: (commit) => this.#receive(commit),
      onReset: () => {
        for (const each of this.#sources.values()) {
          each.requestRun('reset');
          this.#work.schedule(each);
        }
      },
    });
  }

  #receive({ changes, sequence }: Commit): void {
    const byRegion = new Map<string, SourceChange[]>();
    for (const change of changes) {
      if (change.region === QUERIES_REGION && 'key' in change) this.#reconsider(change.key);
      if (!this.#byRegion.has(change.region)) continue;
      const sourceChange = toSourceChange(change, sequence);
      if (sourceChange === null) continue;
      const list = byRegion.get(change.region);
      if (list === undefined) byRegion.set(change.region, [sourceChange]);
      else list.push(sourceChange);
    }
    for (const [region, list] of byRegion) {
      for (const source of this.#byRegion.get(region) ?? []) {
        source.receive(sequence, list);
        this.#work.schedule(source);
      }
    }
  }

  /** A named query was changed or removed. */
  #reconsider(queryId: string): void {
    for (const stream of this.#byQueryId.get(queryId) ?? []) stream.reconsider();
  }

  /** Checks a source after its work: it may have failed, or grown too large. */
  #checkSource(source: LiveSource): void {
    const { maxLiveBytes } = this.#limits;
    this.#measure(source);
    if (this.#sizeBytes > maxLiveBytes) {
      for (const idle of [...this.#lingering.keys()]) this.#drop(idle);
    }
    if (this.#sizeBytes > maxLiveBytes) {
      source.result.fail(tooManyLiveQueries(`together they hold more than ${maxLiveBytes} bytes`));
    }
    if (source.result.failure !== undefined) this.#drop(source);
  }

  #measure(source: LiveSource): void {
    const isKnown = this.#sources.get(source.key) === source;
    const bytes = isKnown ? source.result.sizeBytes : 0;
    this.#sizeBytes += bytes - (this.#sizes.get(source) ?? 0);
    if (isKnown) this.#sizes.set(source, bytes);
    else this.#sizes.delete(source);
  }

  #release(source: LiveSource): void {
    source.consumers -= 1;
    if (source.consumers > 0 || this.#sources.get(source.key) !== source) return;
    const timer = setTimeout(() => this.#drop(source), LINGER_MS);
    timer.unref();
    this.#lingering.set(source, timer);
    const [oldest] = this.#lingering.keys();
    if (this.#sources.size > this.#limits.maxLiveQueries && oldest !== undefined) {
      this.#drop(oldest);
    }
  }

  /** New consumers no longer find it; existing ones continue. */
  #drop(source: LiveSource): void {
    clearTimeout(this.#lingering.get(source));
    this.#lingering.delete(source);
    source.close();
    this.#work.forget(source);
    if (this.#sources.get(source.key) === source) this.#sources.delete(source.key);
    this.#measure(source);
    for (const region of source.regions) removeFrom(this.#byRegion, region, source);
    if (this.#sources.size > 0) return;
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
  }
}

function addTo<Item>(sets: Map<string, Set<Item>>, key: string, item: Item): void {
  const set = sets.get(key);
  if (set === undefined) sets.set(key, new Set([item]));
  else set.add(item);
}

function removeFrom<Item>(sets: Map<string, Set<Item>>, key: string, item: Item): void {
  const set = sets.get(key);
  set?.delete(item);
  if (set?.size === 0) sets.delete(key);
}
