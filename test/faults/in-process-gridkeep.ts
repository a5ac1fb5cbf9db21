// The service in this process, started by the command like a user would, for tests that do not kill
// it.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CommandEnd, type PerformedCommand, performCommand } from '../perform-command.ts';
import { type ProcessOptions, parseLogLines, startArguments } from './gridkeep-process.ts';

type HereOptions = Omit<ProcessOptions, 'under'>;

export class InProcessGridkeep implements AsyncDisposable {
  readonly port: number;
  readonly #command: PerformedCommand;

  private constructor(command: PerformedCommand, port: number) {
    this.#command = command;
    this.port = port;
  }

  /** Settles when it listens; rejects with its output when it ends before that. */
  static async start(options: HereOptions = {}): Promise<InProcessGridkeep> {
    const command = perform(options);
    const line = await command.firstLine;
    return new InProcessGridkeep(command, Number(/:(\d+)$/.exec(line)?.[1]));
  }

  /** For starts that are expected to fail; one that succeeds is stopped. */
  static refuse(options: HereOptions): Promise<CommandEnd> {
    const { finished, firstLine, signal } = perform(options);
    firstLine.then(
      () => signal('SIGTERM'),
      () => undefined,
    );
    return finished;
  }

  get logLines(): readonly Record<string, unknown>[] {
    return parseLogLines(this.#command.err());
  }

  async stop(): Promise<CommandEnd> {
    this.#command.signal('SIGTERM');
    return this.#command.finished;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}

function perform(options: HereOptions): PerformedCommand {
  const directory = mkdtempSync(join(tmpdir(), 'in-process-gridkeep-'));
  writeFileSync(join(directory, 'gridkeep.yaml'), options.yaml ?? '');
  const command = performCommand([...startArguments(options), '--http-drain-linger-ms', '0'], {
    directory,
    environment: {
      NODE_ENV: 'test',
      ...(options.fault === undefined ? {} : { GRIDKEEP_TESTING_FAULT: options.fault }),
      ...options.environment,
    },
  });
  const remove = (): void => rmSync(directory, { recursive: true, force: true });
  command.finished.then(remove, remove);
  return command;
}
