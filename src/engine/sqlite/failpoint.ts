// Named points at which a test can end the process as `kill -9` would. Set only
// by `SqliteEngineOptions.testing`, which no setting of the service reaches.

import type { TestingOptions } from './store-request.ts';

type Crash = NonNullable<TestingOptions['crash']>;

export class Failpoint {
  readonly #crash: Crash | undefined;
  #passes = 0;

  constructor(crash: Crash | undefined) {
    this.#crash = crash;
  }

  pass(point: Crash['at']): void {
    if (this.#crash?.at !== point) return;
    this.#passes += 1;
    if (this.#passes >= this.#crash.pass) process.kill(process.pid, 'SIGKILL');
  }
}
