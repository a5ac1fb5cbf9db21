import type { ApiRequest } from '../request/api-request.ts';

/** For queries, which only look at it. An AbortSignal would cost some 20 µs when the answer ends. */
export class ClientSignal {
  readonly #request: ApiRequest;

  constructor(request: ApiRequest) {
    this.#request = request;
  }

  get aborted(): boolean {
    return this.#request.isGone;
  }
}
