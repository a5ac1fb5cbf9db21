import type { ApiRequest } from '../request/api-request.ts';

/** Listens to the connection only when its signal is first used; short queries never use it. */
export class ClientSignal {
  readonly #request: ApiRequest;

  constructor(request: ApiRequest) {
    this.#request = request;
  }

  get aborted(): boolean {
    return this.#request.signal.aborted;
  }
}
