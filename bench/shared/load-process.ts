// The parent's side of a load client: a separate process that receives one job at a time and answers with
// its figures.

import { type ChildProcess, fork } from 'node:child_process';

export class LoadProcess<Job extends { readonly work: string }, Result> {
  readonly #child: ChildProcess;
  #settle: (result: Result | undefined) => void = () => undefined;

  /** The script must answer every message of type `Job` with one of type `Result`. */
  constructor(script: URL) {
    this.#child = fork(script);
    // The only message it sends.
    this.#child.on('message', (result) => this.#settle(result as Result));
    this.#child.on('exit', () => this.#settle(undefined));
  }

  async run(job: Job): Promise<Result> {
    const result = await new Promise<Result | undefined>((resolve) => {
      this.#settle = resolve;
      this.#child.send(job);
    });
    if (result === undefined) throw new Error(`The load client ended during ${job.work}`);
    return result;
  }

  stop(): void {
    this.#child.kill();
  }
}
