// Several servers over one database, each a separate process. Requests go to any of them.

import { PostgresServer } from '../../src/engine/testing/postgres-server.ts';
import { createRandom, type Random } from '../../src/sample/random.ts';
import { Client, type Reply } from '../faults/client.ts';
import { GridkeepProcess } from '../faults/gridkeep-process.ts';

export interface ClusterOptions {
  readonly servers: number;
  readonly seed: number;
  readonly yaml: string;
  /** Settings of the database; `fsync` is on in tests that kill it. */
  readonly settings?: Readonly<Record<string, string>>;
}

interface Member {
  readonly process: GridkeepProcess;
  readonly client: Client;
}

export class Cluster implements AsyncDisposable {
  readonly database: PostgresServer;
  readonly #options: ClusterOptions;
  readonly #random: Random;
  readonly #members: Member[] = [];
  #crashes = 0;
  #lastCrash: Promise<void> = Promise.resolve();

  private constructor(database: PostgresServer, options: ClusterOptions) {
    this.database = database;
    this.#options = options;
    this.#random = createRandom(options.seed);
  }

  static async start(options: ClusterOptions): Promise<Cluster> {
    const database = await PostgresServer.start({
      settings: { fsync: 'on', ...options.settings },
    });
    const cluster = new Cluster(database, options);
    // Started at once, so that they create the schema and the regions concurrently.
    const members = Array.from({ length: options.servers }, () => cluster.#open());
    cluster.#members.push(...(await Promise.all(members)));
    return cluster;
  }

  get clients(): readonly Client[] {
    return this.#members.map(({ client }) => client);
  }

  get processes(): readonly GridkeepProcess[] {
    return this.#members.map(({ process }) => process);
  }

  /** Sends a request to any server. */
  send(method: string, path: string, body?: string): Promise<Reply> {
    const client = this.#pick().client;
    return client.send(method, path, body === undefined ? {} : { body });
  }

  /** Kills one server with SIGKILL, and starts another in its place. */
  async replaceServer(
    index: number = this.#random.between(0, this.#members.length - 1),
  ): Promise<void> {
    const member = this.#members[index];
    if (member === undefined) return;
    await member.process.kill();
    this.#members[index] = await this.#open();
    member.client[Symbol.dispose]();
  }

  /** Starts another server, then sends SIGTERM to one, which finishes its requests. */
  async rollServer(index: number): Promise<number | null> {
    const member = this.#members[index];
    if (member === undefined) return null;
    this.#members[index] = await this.#open();
    const { code } = await member.process.stop();
    member.client[Symbol.dispose]();
    return code;
  }

  /** Kills the database with SIGKILL, and starts it again. */
  async crashDatabase(): Promise<void> {
    await this.database.kill();
    await this.database.boot();
  }

  /** Kills a server, the database, or both, in turn, one crash after another. */
  crashInTurn(): Promise<void> {
    this.#lastCrash = this.#lastCrash.then(async () => {
      this.#crashes += 1;
      const turn = this.#crashes % 3;
      await Promise.all([
        turn === 2 ? undefined : this.replaceServer(),
        turn === 1 ? undefined : this.crashDatabase(),
      ]);
    });
    return this.#lastCrash;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { client, process } of this.#members) {
      client[Symbol.dispose]();
      await process[Symbol.asyncDispose]();
    }
    await this.database[Symbol.asyncDispose]();
  }

  #pick(): Member {
    const member = this.#members[this.#random.between(0, this.#members.length - 1)];
    if (member === undefined) throw new Error('There is no server');
    return member;
  }

  async #open(): Promise<Member> {
    const process = await GridkeepProcess.start({
      store: this.database.url(),
      yaml: this.#options.yaml,
    });
    return { process, client: new Client(process.port, 256) };
  }
}
