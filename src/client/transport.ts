// Sends requests with `fetch`, which Node, browsers, Deno and Bun have. A request is retried only
// if it cannot be executed twice.

import { chunksOf } from './chunks.ts';
import {
  BadAddressError,
  ClientError,
  CutShortError,
  NotFoundError,
  RefusedError,
  toRefusedError,
  UnavailableError,
  UnreachableError,
} from './client-error.ts';
import { readElements } from './json-elements.ts';
import { type Login, printLogin } from './login.ts';
import { readRows } from './ndjson-rows.ts';

export const API = '/grid-api/v1';
export const ADMIN = '/grid-admin/v1';

/** Options of every call. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

/** Options of every write of entries. */
export interface RepeatOptions extends CallOptions {
  /**
   * The service executes a write with this key once, and answers repeats with the first answer.
   * With a key the client retries a write when no answer came.
   */
  readonly idempotencyKey?: string | undefined;
}

export interface GridClientOptions {
  /**
   * The address of the service: `https://grid.example.com:7070`. A path before that of the API is
   * kept; the path of the API itself is optional.
   */
  readonly url: string;
  readonly login?: Login | undefined;
  /** Number of retries of a request that was not executed. */
  readonly retries?: number | undefined;
  /** Gives every write of entries an idempotency key, so that it can be repeated safely. */
  readonly idempotentWrites?: boolean | undefined;
  /** Ends every call of this client. */
  readonly signal?: AbortSignal | undefined;
}

export interface ApiCall extends RepeatOptions {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'QUERY';
  /** The path after the base address, with its query. */
  readonly path: string;
  /** JSON text, or a body that is sent as it is produced, once. */
  readonly body?: string | ReadableStream<Uint8Array> | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * `conflict` requests the plain form of errors, in which a conflict's body is the stored value.
   * Problems always have a code.
   */
  readonly errors?: 'problem' | 'conflict';
  /** The request accepts an idempotency key. */
  readonly takesKey?: true;
  /** Statuses besides 2xx that are answers, not errors. */
  readonly expected?: readonly number[];
  /** It changes nothing, regardless of its method, so it can be retried. */
  readonly isRepeatable?: true;
}

/** A whole answer. */
interface ReceivedAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** The status of a failure after the answer had begun. */
const MIDWAY_STATUS = 500;
const DEFAULT_RETRIES = 5;
const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 5000;
/** With one of these codes the service did nothing, so a write can be retried. */
const NOT_CARRIED_OUT: ReadonlySet<string> = new Set([
  'request/overloaded',
  'request/shutting-down',
  'grid/too-many-queries',
  'engine/unreachable',
]);

/** An earlier attempt is still being answered. */
const KEY_IN_USE = 'request/idempotency-key-in-use';

export class Transport {
  readonly base: string;
  readonly #login: Login | undefined;
  readonly #retries: number;
  readonly #signal: AbortSignal | undefined;
  readonly #givesKeys: boolean;

  /** Throws `BadAddressError`; nothing is sent yet. */
  constructor(options: GridClientOptions) {
    const { idempotentWrites = false, login, retries = DEFAULT_RETRIES, signal, url } = options;
    this.base = parseAddress(url);
    this.#givesKeys = idempotentWrites;
    this.#login = login;
    this.#retries = retries;
    this.#signal = signal;
  }

  /** Returns a successful or expected answer; throws a `ClientError` otherwise. */
  async send(given: ApiCall): Promise<Response> {
    const call = this.#withKey(given);
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#sendOnce(call);
      } catch (error) {
        const waitMs = attempt < this.#retries ? findRetryWaitMs(error, call, attempt) : undefined;
        if (waitMs === undefined) throw error;
        await pause(waitMs, this.#signalOf(call));
      }
    }
  }

  /** Sends, and reads the answer to its end: a body left unread keeps its connection. */
  async exchange(call: ApiCall): Promise<ReceivedAnswer> {
    const answer = await this.send(call);
    const { headers, status } = answer;
    return { status, headers, text: await this.#readText(answer, call) };
  }

  /** False if there was nothing to remove. */
  async remove(call: Omit<ApiCall, 'method'>): Promise<boolean> {
    try {
      await this.exchange({ ...call, method: 'DELETE' });
      return true;
    } catch (error) {
      if (error instanceof NotFoundError) return false;
      throw error;
    }
  }

  /** The elements of a JSON answer as texts, in lists as they arrive; `depth` as in `readElements`. */
  async *elements(call: ApiCall, depth: number): AsyncGenerator<readonly string[]> {
    yield* this.#elementsOf(await this.send(call), call, depth);
  }

  /** The rows of an NDJSON answer as texts, in lists as they arrive. */
  async *rows(call: ApiCall): AsyncGenerator<readonly string[]> {
    const headers = {
      accept: 'application/x-ndjson, application/problem+json;q=0.5',
      ...call.headers,
    };
    const { body } = await this.send({ ...call, headers });
    if (body === null) throw new CutShortError(this.#address(call));
    yield* readRows(chunksOf(body), {
      cutShort: this.#cutShort(call),
      failed: (error) => toRefusedError(MIDWAY_STATUS, error, 0),
    });
  }

  /** All elements, with the headers of the answer; undefined for 304. */
  async collectUnless(
    call: ApiCall,
    depth: number,
    tag: string | undefined,
  ): Promise<{ readonly headers: Headers; readonly elements: readonly string[] } | undefined> {
    if (tag === undefined) return this.collect(call, depth);
    const headers = { ...call.headers, 'if-none-match': tag };
    const answer = await this.send({ ...call, headers, expected: [304] });
    return answer.status === 304 ? undefined : this.#collectFrom(answer, call, depth);
  }

  /** All elements, with the headers of the answer. */
  async collect(
    call: ApiCall,
    depth: number,
  ): Promise<{ readonly headers: Headers; readonly elements: readonly string[] }> {
    return this.#collectFrom(await this.send(call), call, depth);
  }

  async #collectFrom(
    answer: Response,
    call: ApiCall,
    depth: number,
  ): Promise<{ readonly headers: Headers; readonly elements: readonly string[] }> {
    const elements: string[] = [];
    for await (const list of this.#elementsOf(answer, call, depth)) elements.push(...list);
    return { headers: answer.headers, elements };
  }

  async *#elementsOf(
    { body }: Response,
    call: ApiCall,
    depth: number,
  ): AsyncGenerator<readonly string[]> {
    if (body === null) throw new CutShortError(this.#address(call));
    yield* readElements(chunksOf(body), depth, this.#cutShort(call));
  }

  /** Makes the error of an answer that breaks off: the reason of the signal if that ended it. */
  #cutShort(call: ApiCall): (cause?: unknown) => Error {
    const address = this.#address(call);
    const signal = this.#signalOf(call);
    return (cause) =>
      signal?.aborted === true ? toError(signal.reason) : new CutShortError(address, { cause });
  }

  /** Every retry has the same key. */
  #withKey(call: ApiCall): ApiCall {
    if (call.takesKey !== true) return call;
    const generatedKey = this.#givesKeys ? crypto.randomUUID() : undefined;
    return { ...call, idempotencyKey: call.idempotencyKey ?? generatedKey };
  }

  /**
   * The text of an endless answer, as it arrives. Fails with `CutShortError` when nothing comes
   * within the time-out; leaving the loop closes the connection.
   */
  async *pieces(call: ApiCall, silenceMs: number): AsyncGenerator<string> {
    const ending = new AbortController();
    const callSignal = this.#signalOf(call);
    const signal =
      callSignal === undefined ? ending.signal : AbortSignal.any([callSignal, ending.signal]);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const watch = (): void => {
      clearTimeout(timer);
      timer = setTimeout(() => ending.abort(), silenceMs);
    };
    try {
      const { body } = await this.send({ ...call, signal });
      const decoder = new TextDecoder();
      watch();
      for await (const bytes of body === null ? [] : chunksOf(body)) {
        watch();
        yield decoder.decode(bytes, { stream: true });
      }
    } catch (error) {
      callSignal?.throwIfAborted();
      throw error instanceof ClientError
        ? error
        : new CutShortError(this.#address(call), { cause: error });
    } finally {
      clearTimeout(timer);
      ending.abort();
    }
  }

  /** Waits; ends early when the call is aborted. */
  pause(ms: number, call: ApiCall): Promise<void> {
    return pause(ms, this.#signalOf(call));
  }

  async #sendOnce(call: ApiCall): Promise<Response> {
    const answer = await this.#fetch(call);
    if (answer.ok || call.expected?.includes(answer.status) === true) return answer;
    const retryAfterSeconds = Number(answer.headers.get('retry-after') ?? 0);
    throw toRefusedError(answer.status, await this.#readText(answer, call), retryAfterSeconds);
  }

  async #fetch(call: ApiCall): Promise<Response> {
    const { body, errors, headers, method } = call;
    const signal = this.#signalOf(call);
    const accept =
      errors === 'conflict' ? 'application/json' : 'application/json, application/problem+json';
    const login = this.#login === undefined ? {} : { authorization: await printLogin(this.#login) };
    try {
      return await fetch(this.base + call.path, {
        method,
        headers: {
          accept,
          ...login,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(call.idempotencyKey === undefined ? {} : { 'idempotency-key': call.idempotencyKey }),
          ...headers,
        },
        // A redirect may lead to another service, which must not get the login.
        redirect: 'error',
        // Otherwise a browser would show its own dialog for a 401, and send stored credentials.
        credentials: 'omit',
        ...(body === undefined ? {} : { body }),
        ...(typeof body === 'object' ? { duplex: 'half' } : {}),
        ...(signal === undefined ? {} : { signal }),
      });
    } catch (error) {
      signal?.throwIfAborted();
      throw new UnreachableError(this.base, { cause: error });
    }
  }

  async #readText(answer: Response, call: ApiCall): Promise<string> {
    try {
      return await answer.text();
    } catch (error) {
      this.#signalOf(call)?.throwIfAborted();
      throw new CutShortError(this.#address(call), { cause: error });
    }
  }

  #signalOf({ signal }: ApiCall): AbortSignal | undefined {
    if (signal === undefined || this.#signal === undefined) return signal ?? this.#signal;
    return AbortSignal.any([signal, this.#signal]);
  }

  /** Without the query, which may contain values. */
  #address({ path }: ApiCall): string {
    return this.base + path.replace(/\?.*/s, '');
  }
}

/** How long to wait before a retry; undefined when the request must not be retried. */
function findRetryWaitMs(error: unknown, call: ApiCall, attempt: number): number | undefined {
  const { body, idempotencyKey, isRepeatable, method } = call;
  if (typeof body === 'object') return undefined;
  const isRead = method === 'GET' || method === 'HEAD' || isRepeatable === true;
  const isSafe = isRead || idempotencyKey !== undefined;
  const backOffMs = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** attempt);
  const isRunning = error instanceof RefusedError && error.code === KEY_IN_USE;
  if (isRunning) return backOffMs;
  if (error instanceof UnavailableError) {
    if (!isSafe && !NOT_CARRIED_OUT.has(error.code)) return undefined;
    return Math.min(LONGEST_WAIT_MS, Math.max(error.retryAfterSeconds * 1000, backOffMs));
  }
  return isSafe && error instanceof UnreachableError ? backOffMs : undefined;
}

function parseAddress(url: string): string {
  const parsed = URL.parse(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) {
    throw new BadAddressError(`${url} is not an address such as http://127.0.0.1:7070`);
  }
  if (parsed.username !== '' || parsed.password !== '') {
    throw new BadAddressError('the address must not hold a login');
  }
  if (parsed.search !== '' || parsed.hash !== '') {
    throw new BadAddressError(
      `the address must end with its path, not with ${parsed.search || parsed.hash}`,
    );
  }
  const path = parsed.pathname.replace(/\/+$/, '');
  return parsed.origin + (path.endsWith(API) ? path.slice(0, -API.length) : path);
}

function toError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}

/** Rejects with the reason of the signal when that is aborted. */
async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer);
      reject(toError(signal?.reason));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    if (signal?.aborted === true) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });
}
