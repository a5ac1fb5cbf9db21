// Answers being sent in pieces. They mostly wait for their clients, and then need memory and a
// snapshot of the store, but no work. So they have separate limits, beside that of requests in
// flight.

export interface StreamLimits {
  readonly maxStreams: number;
  /** Of one address, so that no client takes all the room. */
  readonly maxStreamsPerClient: number;
}

export class StreamsUnderWay {
  readonly #limits: StreamLimits;
  readonly #byClient = new Map<string, number>();
  #count = 0;

  constructor(limits: StreamLimits) {
    this.#limits = limits;
  }

  get count(): number {
    return this.#count;
  }

  /** False: there is no room for another stream, or none for this client. */
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
