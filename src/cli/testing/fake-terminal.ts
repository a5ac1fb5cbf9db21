// A terminal for tests that records everything a command prints, reports and draws.

import { EventEmitter } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import type { LogStream } from '../../app/index.ts';
import type { Terminal } from '../terminal.ts';

export interface FakeInput {
  /** The answer to a prompt for a secret. */
  readonly secret?: string | undefined;
  /** The standard input, if it is a pipe. */
  readonly piped?: string;
  /** Called with each line of standard output. */
  readonly onPrint?: (line: string, events: EventEmitter) => void;
}

export class FakeTerminal implements Terminal {
  readonly out: string[] = [];
  readonly err: string[] = [];
  drawn = '';
  readonly workingDirectory: string;
  readonly environment: Readonly<Record<string, string>> = {};
  readonly events: EventEmitter = new EventEmitter();
  readonly log: LogStream = { write: () => true, on: () => undefined };
  readonly pipes: { readonly input: Readable; readonly output: PassThrough };
  readonly #given: FakeInput;

  constructor(workingDirectory: string, given: FakeInput = {}) {
    this.workingDirectory = workingDirectory;
    this.#given = given;
    const { piped = '' } = given;
    const input = Readable.from(piped === '' ? [] : [Buffer.from(piped)]);
    this.pipes = { input, output: new PassThrough() };
  }

  print(line: string): void {
    this.out.push(line);
    this.#given.onPrint?.(line, this.events);
  }

  printError(line: string): void {
    this.err.push(line);
  }

  readonly draw = (text: string): void => {
    this.drawn += text;
  };

  async readSecret(): Promise<string | undefined> {
    return this.#given.secret;
  }
}
