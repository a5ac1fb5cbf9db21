// Reads the pieces of a body one ahead, for a consumer that does other work while none arrive.

import { shuttingDown } from '../errors.ts';

/** `idle` is returned when nothing arrives for this long. */
const IDLE_MS = 50;

export class ReadAhead implements Disposable {
  readonly #iterator: AsyncIterator<Buffer>;
  readonly #draining: AbortSignal;
  readonly #stopped: Promise<'stopped'>;
  readonly #onDrain: () => void;
  /** The piece that is being read. */
  #next: Promise<IteratorResult<Buffer>>;

  /** `draining` is aborted when the service is stopping. */
  constructor(pieces: AsyncIterable<Buffer>, draining: AbortSignal) {
    this.#iterator = pieces[Symbol.asyncIterator]();
    this.#draining = draining;
    const { promise, resolve } = Promise.withResolvers<'stopped'>();
    this.#stopped = promise;
    this.#onDrain = () => resolve('stopped');
    draining.addEventListener('abort', this.#onDrain);
    if (draining.aborted) this.#onDrain();
    this.#next = this.#read();
  }

  /** The next piece; undefined at the end. Throws `request/shutting-down`. */
  async next(): Promise<Buffer | undefined> {
    return this.#settle(await Promise.race([this.#next, this.#stopped]));
  }

  /** The same, or `idle` when none arrives for a while. */
  async nextOrIdle(): Promise<Buffer | undefined | 'idle'> {
    let timer: NodeJS.Timeout | undefined;
    const idle = new Promise<'idle'>((resolve) => {
      timer = setTimeout(() => resolve('idle'), IDLE_MS);
    });
    try {
      const outcome = await Promise.race([this.#next, this.#stopped, idle]);
      return outcome === 'idle' ? outcome : this.#settle(outcome);
    } finally {
      clearTimeout(timer);
    }
  }

  [Symbol.dispose](): void {
    this.#draining.removeEventListener('abort', this.#onDrain);
  }

  #settle(outcome: IteratorResult<Buffer> | 'stopped'): Buffer | undefined {
    if (outcome === 'stopped') throw shuttingDown();
    if (outcome.done === true) return undefined;
    this.#next = this.#read();
    return outcome.value;
  }

  #read(): Promise<IteratorResult<Buffer>> {
    const next = this.#iterator.next();
    // Its failure is handled when it is awaited.
    next.catch(() => undefined);
    return next;
  }
}
