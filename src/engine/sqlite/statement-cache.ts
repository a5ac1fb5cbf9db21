// The statements of a connection for its regions. Each is prepared when it is first used, because most
// regions use few of theirs. A limited number stays prepared: there may be thousands of regions, and a
// statement takes about 7 KB.

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { prepareArrays } from './schema.ts';

const MAX_PREPARED = 2048;

export class StatementCache {
  readonly #database: DatabaseSync;
  readonly #max: number;
  /** The prepared statements, in a ring: one that was not used since the last lap is dropped. */
  readonly #prepared: LazyStatement[] = [];
  /** Position in the ring, like the hand of a clock. */
  #hand = 0;

  constructor(database: DatabaseSync, max: number = MAX_PREPARED) {
    this.#database = database;
    this.#max = max;
  }

  /** A statement whose rows are arrays of columns. */
  lazy(sql: string): LazyStatement {
    const statement: LazyStatement = new LazyStatement(() => {
      this.#makeRoom(statement);
      return prepareArrays(this.#database, sql);
    });
    return statement;
  }

  #makeRoom(added: LazyStatement): void {
    if (this.#prepared.length < this.#max) {
      this.#prepared.push(added);
      return;
    }
    while (this.#prepared[this.#hand]?.drop() === false) this.#advance();
    this.#prepared[this.#hand] = added;
    this.#advance();
  }

  #advance(): void {
    this.#hand = (this.#hand + 1) % this.#max;
  }
}

export class LazyStatement {
  readonly #prepare: () => StatementSync;
  #prepared: StatementSync | undefined;
  #isRecent = false;

  constructor(prepare: () => StatementSync) {
    this.#prepare = prepare;
  }

  /** Use the result at once, and do not keep it. */
  use(): StatementSync {
    if (this.#prepared === undefined) this.#prepared = this.#prepare();
    else this.#isRecent = true;
    return this.#prepared;
  }

  /**
   * Drops it, unless it was used again since it was prepared or since the last call. True if it was
   * dropped.
   */
  drop(): boolean {
    if (!this.#isRecent) this.#prepared = undefined;
    const isDropped = !this.#isRecent;
    this.#isRecent = false;
    return isDropped;
  }
}
