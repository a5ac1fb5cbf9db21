// Follows the changes of regions as they happen. A lost connection is reopened and resumes after
// the last complete commit, so that every change is delivered once.

import { toRefusedError } from './client-error.ts';
import { followEvents, HEARTBEAT_SECONDS } from './event-stream.ts';
import { membersOf } from './json-parts.ts';
import { API, type CallOptions, type Transport } from './transport.ts';

export interface ChangeFeedOptions extends CallOptions {
  /**
   * Where to begin: after a sequence, with everything still kept (0), at a time, or with what
   * comes next ('now', also when absent).
   */
  readonly since?: number | Date | 'now' | undefined;
  /** An OQL condition on the new value, such as `value.total > 100`. */
  readonly where?: string | undefined;
  readonly keys?: readonly string[] | undefined;
  readonly prefix?: string | undefined;
  readonly operations?: readonly ChangeOperation[] | undefined;
  /**
   * `none`: changes come without values. `old`: with the value before the change too, which needs a
   * region with history.
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
  /** Of the commit. Only safe to resume from after the last change of a commit. */
  readonly sequence: number;
  readonly time: Date;
  readonly region: string;
  readonly operation: ChangeOperation;
  /** Absent where the change concerns the region. */
  readonly key?: string;
  readonly version: number;
  /** The value that was put; absent when it was overwritten since, or not requested. */
  readonly value?: Document;
  /** The value was overwritten since, and is not kept: a later change follows. */
  readonly superseded?: true;
  /** The value before the change, if requested; absent when the key was absent. */
  readonly old?: Document;
  /** Old values were requested, and that of this change is not kept. */
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

/**
 * Commits, whole and in order, until the signal is aborted or the loop is left. Throws `GoneError`
 * when changes between were trimmed, and what the service refuses.
 */
export async function* followCommits<Document>(
  request: FollowRequest<Document>,
): AsyncGenerator<Commit<Document>> {
  const { options, parse, transport } = request;
  const { signal } = options;
  const since = await findStart(request);
  const path = printPath(request, since, { heartbeat: String(HEARTBEAT_SECONDS) });
  let changes: Change<Document>[] = [];
  const events = followEvents(
    transport,
    { method: 'GET', path, signal },
    { heartbeatSeconds: HEARTBEAT_SECONDS, reconnectOn: 'failed' },
  );
  for await (const { data, hasId, lastId, name } of events) {
    if (name === 'gone') throw toRefusedError(410, data, 0);
    // Changes of a commit that the last connection did not complete come again.
    if (name === 'open') changes = [];
    else changes.push(parse(data));
    if (!hasId) continue;
    yield { sequence: Number(lastId), changes };
    changes = [];
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

function printPath<Document>(
  { options, parameters, path }: FollowRequest<Document>,
  since: string,
  extraParameters: Readonly<Record<string, string>>,
): string {
  const { include, keys, operations, prefix, where } = options;
  const query = new Map<string, string>(Object.entries({ ...parameters, since }));
  if (where !== undefined) query.set('where', where);
  if (prefix !== undefined) query.set('prefix', prefix);
  if (include !== undefined) query.set('include', include);
  if (operations !== undefined) query.set('ops', operations.join(','));
  for (const [name, value] of Object.entries(extraParameters)) query.set(name, value);
  const pairs = [...query].map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  if (keys !== undefined) pairs.push(`keys=${keys.map(encodeURIComponent).join(',')}`);
  return `${API}${path}?${pairs.join('&')}`;
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
  const valuesStart = json.search(/,"(?:value|old)":/);
  const head = valuesStart < 0 ? json : `${json.slice(0, valuesStart)}}`;
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
  return valuesStart < 0 ? change : { ...change, ...parseValues(json, valuesStart, decode) };
}

/** The value and the old value, at least one of them present. */
function parseValues<Document>(
  json: string,
  valuesStart: number,
  decode: (value: string) => Document,
): Pick<Change<Document>, 'value' | 'old'> {
  const valueName = ',"value":';
  // The name alone may be that of a member inside the value.
  const isValueAlone =
    json.startsWith(valueName, valuesStart) && !json.includes(',"old":', valuesStart);
  if (isValueAlone) return { value: decode(json.slice(valuesStart + valueName.length, -1)) };
  const members = membersOf(`{${json.slice(valuesStart + 1)}`);
  const [value, old] = [members.get('value'), members.get('old')];
  return {
    ...(value === undefined ? {} : { value: decode(value) }),
    ...(old === undefined ? {} : { old: decode(old) }),
  };
}
