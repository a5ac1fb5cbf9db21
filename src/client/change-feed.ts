// Follows the changes of regions as they happen. A connection that is lost is opened again and
// goes on behind the last whole commit that was received, so that every change is given once.

import {
  CutShortError,
  toRefusedError,
  UnavailableError,
  UnreachableError,
} from './client-error.ts';
import { readLines } from './json-lines.ts';
import { membersOf } from './json-parts.ts';
import { API, type CallOptions, pause, type Transport } from './transport.ts';

export interface ChangeFeedOptions extends CallOptions {
  /**
   * Where to begin: behind a sequence, with everything still kept (0), at a time, or with what
   * comes next ('now', also when absent).
   */
  readonly since?: number | Date | 'now' | undefined;
  /** An OQL condition on the new value, such as `value.total > 100`. */
  readonly where?: string | undefined;
  readonly keys?: readonly string[] | undefined;
  readonly prefix?: string | undefined;
  readonly operations?: readonly ChangeOperation[] | undefined;
  /**
   * `none`: changes come without values. `old`: with the value before the change too, which a region
   * must keep its history for.
   */
  readonly include?: 'value' | 'old' | 'none' | undefined;
}

export type ChangeOperation =
  | 'put'
  | 'remove'
  | 'clear'
  | 'expire'
  | 'create-region'
  | 'destroy-region';

export interface Change<Document> {
  /** Of the commit. Safe to resume from behind the last change of a commit alone. */
  readonly sequence: number;
  readonly time: Date;
  readonly region: string;
  readonly operation: ChangeOperation;
  /** Absent where the change concerns the region. */
  readonly key?: string;
  readonly version: number;
  /** What was put; absent when it was overwritten since, or not asked for. */
  readonly value?: Document;
  /** What was put was overwritten since, and is not kept: a later change follows. */
  readonly superseded?: true;
  /** The value before the change, where it was asked for; absent when the key was absent. */
  readonly old?: Document;
  /** Old values were asked for, and that of this change is not kept. */
  readonly isOldGone?: true;
}

/** All changes of one commit that the feed shows, in their order. */
export interface Commit<Document> {
  readonly sequence: number;
  readonly changes: readonly Change<Document>[];
}

export interface FollowRequest<Document> {
  readonly transport: Transport;
  /** A path of the API, and parameters that name regions. */
  readonly path: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly options: ChangeFeedOptions;
  readonly parse: (json: string) => Change<Document>;
}

const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 5_000;

/**
 * Commits, whole and in order, until the signal is aborted or the loop is left. Throws `GoneError`
 * when changes between were trimmed, and what the service refuses.
 */
export async function* followCommits<Document>(
  request: FollowRequest<Document>,
): AsyncGenerator<Commit<Document>> {
  const { options } = request;
  let since = await findStart(request);
  let waitMs = FIRST_WAIT_MS;
  for (;;) {
    options.signal?.throwIfAborted();
    try {
      for await (const commit of readStream(request, since)) {
        since = String(commit.sequence);
        waitMs = FIRST_WAIT_MS;
        if (commit.changes.length > 0) yield commit;
      }
    } catch (error) {
      options.signal?.throwIfAborted();
      if (!isPassing(error)) throw error;
    }
    await pause(waitMs, options.signal);
    waitMs = Math.min(LONGEST_WAIT_MS, 2 * waitMs);
  }
}

/** A sequence: "now" after a lost connection would be later than "now" before it. */
async function findStart<Document>(request: FollowRequest<Document>): Promise<string> {
  const { options, transport } = request;
  const { since = 'now' } = options;
  if (typeof since === 'number') return String(since);
  const start = since === 'now' ? since : since.toISOString();
  const path = printPath(request, start, { limit: '1', include: 'none' });
  const { text } = await transport.exchange({ method: 'GET', path, signal: options.signal });
  // docs/http-api.md states the members.
  const page = JSON.parse(text) as { changes: { sequence: number }[]; next: number };
  return String((page.changes[0]?.sequence ?? page.next + 1) - 1);
}

/** One connection. The server tells the end of a commit by the `id` of its last event. */
async function* readStream<Document>(
  request: FollowRequest<Document>,
  since: string,
): AsyncGenerator<Commit<Document>> {
  const { options, parse, transport } = request;
  const answer = await transport.send({
    method: 'GET',
    path: printPath(request, since, {}),
    headers: { accept: 'text/event-stream, application/problem+json' },
    signal: options.signal,
  });
  if (answer.body === null) throw new CutShortError(transport.base);
  let changes: Change<Document>[] = [];
  let event: EventFields = {};
  const toError = (cause: unknown): Error => new CutShortError(transport.base, { cause });
  for await (const line of readLines(answer.body, toError)) {
    if (line !== '') {
      event = readField(event, line);
      continue;
    }
    // The last event of a stream that cannot go on, or not now.
    if (event.name === 'gone') throw toRefusedError(410, event.data ?? '', 0);
    if (event.name === 'failed') throw toRefusedError(503, event.data ?? '', 0);
    if (event.data !== undefined) changes.push(parse(event.data));
    if (event.id !== undefined) {
      yield { sequence: Number(event.id), changes };
      changes = [];
    }
    event = {};
  }
}

interface EventFields {
  readonly name?: string;
  readonly id?: string;
  readonly data?: string;
}

function readField(event: EventFields, line: string): EventFields {
  const colon = line.indexOf(':');
  const value = line.slice(colon + 1).replace(/^ /, '');
  switch (line.slice(0, colon)) {
    case 'event':
      return { ...event, name: value };
    case 'id':
      return { ...event, id: value };
    case 'data':
      return { ...event, data: value };
    default:
      return event;
  }
}

function printPath<Document>(
  { options, parameters, path }: FollowRequest<Document>,
  since: string,
  more: Readonly<Record<string, string>>,
): string {
  const { include, keys, operations, prefix, where } = options;
  const query = new Map<string, string>(Object.entries({ ...parameters, since }));
  if (where !== undefined) query.set('where', where);
  if (prefix !== undefined) query.set('prefix', prefix);
  if (include !== undefined) query.set('include', include);
  if (operations !== undefined) query.set('ops', operations.join(','));
  for (const [name, value] of Object.entries(more)) query.set(name, value);
  const pairs = [...query].map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  if (keys !== undefined) pairs.push(`keys=${keys.map(encodeURIComponent).join(',')}`);
  return `${API}${path}?${pairs.join('&')}`;
}

/** Whether another connection may do better. */
function isPassing(error: unknown): boolean {
  return (
    error instanceof UnreachableError ||
    error instanceof UnavailableError ||
    error instanceof CutShortError
  );
}

/** The changes of all commits, one by one. */
export async function* followChanges<Document>(
  request: FollowRequest<Document>,
): AsyncGenerator<Change<Document>> {
  for await (const { changes } of followCommits(request)) yield* changes;
}

/** A change as the service prints it; the texts of values go through `decode`. */
export function parseChange<Document>(
  json: string,
  decode: (value: string) => Document,
): Change<Document> {
  const mark = json.search(/,"(?:value|old)":/);
  const head = mark < 0 ? json : `${json.slice(0, mark)}}`;
  // docs/http-api.md states the members, and that values come last.
  const {
    'old-gone': isOldGone,
    op,
    time,
    ...rest
  } = JSON.parse(head) as Omit<Change<Document>, 'time' | 'operation'> & {
    readonly 'old-gone'?: true;
    readonly op: ChangeOperation;
    readonly time: string;
  };
  const change = {
    ...rest,
    time: new Date(time),
    operation: op,
    ...(isOldGone === undefined ? {} : { isOldGone }),
  };
  return mark < 0 ? change : { ...change, ...parseValues(json, mark, decode) };
}

/** The value and the old value, of which one is there at least. */
function parseValues<Document>(
  json: string,
  mark: number,
  decode: (value: string) => Document,
): Pick<Change<Document>, 'value' | 'old'> {
  const start = ',"value":';
  // The name alone may be that of a member inside the value.
  const isValueAlone = json.startsWith(start, mark) && !json.includes(',"old":', mark);
  if (isValueAlone) return { value: decode(json.slice(mark + start.length, -1)) };
  const members = membersOf(`{${json.slice(mark + 1)}`);
  const [value, old] = [members.get('value'), members.get('old')];
  return {
    ...(value === undefined ? {} : { value: decode(value) }),
    ...(old === undefined ? {} : { old: decode(old) }),
  };
}
