import type { ApiRequest } from '../request/api-request.ts';

/** A query that is over at once never asks, and then the connection is not watched either. */
export class ClientSignal {
  readonly #request: ApiRequest;

  constructor(request: ApiRequest) {
    this.#request = request;
  }

  get aborted(): boolean {
    return this.#request.signal.aborted;
  }
}
