// Limits streamed answers in progress. They mostly wait for their clients and need memory and a
// snapshot of the store, but no CPU time. So they have their own limits, besides that of requests
// in flight.

export interface StreamLimits {
  readonly maxStreams: number;
  /** Per client address, so that one client cannot use all of them. */
  readonly maxStreamsPerClient: number;
}

export class ActiveStreams {
  readonly #limits: StreamLimits;
  readonly #byClient = new Map<string, number>();
  #count = 0;

  constructor(limits: StreamLimits) {
    this.#limits = limits;
  }

  get count(): number {
    return this.#count;
  }

  /** False when the limit is reached, in all or for this client. */
  begin(client: string): boolean {
    const ofClient = this.#byClient.get(client) ?? 0;
    const { maxStreams, maxStreamsPerClient } = this.#limits;
    if (this.#count >= maxStreams || ofClient >= maxStreamsPerClient) return false;
    this.#count += 1;
    this.#byClient.set(client, ofClient + 1);
    return true;
  }

  end(client: string): void {
    const left = (this.#byClient.get(client) ?? 0) - 1;
    this.#count -= 1;
    if (left > 0) this.#byClient.set(client, left);
    else this.#byClient.delete(client);
  }
}
