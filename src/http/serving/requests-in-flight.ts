// Counts the requests that are being answered and limits them. The server starts closed, opens, and
// drains: closed or draining it refuses requests, and `drain` settles when the last one is
// answered. A request whose answer waits for a slow client, or waits to be refused, does not count as
// in flight.

import { overloaded, shuttingDown, starting } from '../errors.ts';
import type { ServiceStatus } from '../handlers/handler.ts';
import { dropBody } from '../request/body.ts';
import type { RequestSource } from '../request/request-head.ts';

export class RequestsInFlight implements ServiceStatus {
  readonly #max: number;
  #phase: ServiceStatus['phase'] = 'starting';
  #count = 0;
  #waiting = 0;
  #refused = 0;
  #whenNone: () => void = () => undefined;

  constructor(max: number) {
    this.#max = max;
  }

  get phase(): ServiceStatus['phase'] {
    return this.#phase;
  }

  /** Requests that are not answered yet. */
  get count(): number {
    return this.#count;
  }

  /** Requests among them whose answers wait for their clients, or wait to be refused. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Requests refused because the service is draining. */
  get refused(): number {
    return this.#refused;
  }

  begin(): void {
    this.#count += 1;
  }

  end(): void {
    this.#count -= 1;
    if (this.#count === 0) this.#whenNone();
  }

  beginWaiting(): void {
    this.#waiting += 1;
  }

  endWaiting(): void {
    this.#waiting -= 1;
  }

  /** From now on requests are served. */
  open(): void {
    this.#phase = 'running';
  }

  /** Refuses a request that cannot be served now, early and cheaply. It counts as begun. */
  admit(incoming: RequestSource): void {
    if (this.#phase === 'starting') {
      dropBody(incoming);
      throw starting();
    }
    if (this.#phase === 'draining') {
      this.#refused += 1;
      throw shuttingDown();
    }
    if (this.#count - this.#waiting > this.#max) {
      dropBody(incoming);
      throw overloaded();
    }
  }

  /** Settles when nothing is in flight. */
  drain(): Promise<void> {
    this.#phase = 'draining';
    return new Promise((resolve) => {
      this.#whenNone = resolve;
      if (this.#count === 0) resolve();
    });
  }
}
