// Reads the `changes` table in pages; `put-values.ts` adds the values.

import type { ChangesOutcome, ChangesWanted, SequenceAtOutcome } from '../engine.ts';
import { storeDamaged } from '../errors.ts';
import { type ChangeRow, openChangeRow, SELECT_CHANGE_ROWS } from './change-rows.ts';
import { type OpenChange, PutValues } from './put-values.ts';
import { columnsOf, type RegionSizes } from './schema.ts';
import type { LazyStatement, StatementCache } from './statement-cache.ts';

interface ReaderOptions {
  readonly statements: StatementCache;
  readonly file: string;
  /** The commit that the connection shows. */
  readonly latest: () => number;
  readonly findRegion: (name: string) => RegionSizes | undefined;
}

export class RecordedChanges {
  readonly #options: ReaderOptions;
  readonly #oldestSequence: LazyStatement;
  readonly #rowsFrom: LazyStatement;
  readonly #first: LazyStatement;
  readonly #firstSince: LazyStatement;
  readonly #values: PutValues;

  constructor(options: ReaderOptions) {
    const { statements } = options;
    const first = (condition: string): LazyStatement =>
      statements.lazy(`SELECT sequence, at_ms FROM changes ${condition} ORDER BY sequence LIMIT 1`);
    this.#options = options;
    this.#oldestSequence = statements.lazy('SELECT min(sequence) FROM changes');
    this.#first = first('');
    this.#firstSince = first('WHERE at_ms >= ?');
    this.#rowsFrom = statements.lazy(
      `${SELECT_CHANGE_ROWS} WHERE sequence >= (SELECT max(sequence) FROM changes WHERE sequence <= ?) ORDER BY sequence`,
    );
    this.#values = new PutValues(options);
  }

  /** Drops the statements of a region that no longer exists. */
  forget(regionId: number): void {
    this.#values.forget(regionId);
  }

  /**
   * Whole commits after `afterSequence`, as `Engine.readChanges` promises. Sequences are consecutive
   * and every commit has at least one change. So a gap at the beginning was trimmed, and any other
   * gap is damage.
   */
  read(afterSequence: number, limit: number, wanted: ChangesWanted = {}): ChangesOutcome {
    const latest = this.#options.latest();
    const oldest = this.#oldest(latest);
    if (afterSequence < oldest || afterSequence > latest) return { kind: 'gone', oldest, latest };
    if (limit <= 0) return { kind: 'changes', changes: [], through: afterSequence, latest };
    const found = this.#readRows(afterSequence, limit, latest);
    const changes = found.slice(0, findPageEnd(found, limit));
    const through = changes.at(-1)?.sequence ?? afterSequence;
    const { isWanted, regions } = wanted;
    const chosen = changes.filter(
      (change) => regions?.has(change.region) !== false && isWanted?.(change) !== false,
    );
    if (wanted.values !== 'kept') return { kind: 'changes', changes: chosen, through, latest };
    const end = this.#values.add(chosen, wanted.maxBytes ?? Number.POSITIVE_INFINITY);
    const next = chosen[end];
    if (next === undefined) return { kind: 'changes', changes: chosen, through, latest };
    // The commits in between have no wanted changes.
    return { kind: 'changes', changes: chosen.slice(0, end), through: next.sequence - 1, latest };
  }

  /**
   * As `Engine.findSequenceAt` promises. Times rise with sequences, unless the clock was set back.
   */
  findSequenceAt(atMs: number): SequenceAtOutcome {
    const latest = this.#options.latest();
    const oldest = this.#oldest(latest);
    const [, firstAt] = columnsOf(this.#first.use().get());
    const isBefore = typeof firstAt !== 'number' || atMs <= firstAt;
    if (isBefore && oldest > 0) return { kind: 'gone', oldest, latest };
    const [found] = columnsOf(this.#firstSince.use().get(atMs));
    return { kind: 'found', sequence: typeof found === 'number' ? found - 1 : latest };
  }

  #oldest(latest: number): number {
    const [first] = columnsOf(this.#oldestSequence.use().get());
    const isCommit = typeof first === 'number' && first >= 1 && first <= latest;
    if (first !== null && !isCommit) {
      throw this.#damaged('a recorded change belongs to a commit that does not exist');
    }
    return (typeof first === 'number' ? first : latest + 1) - 1;
  }

  /**
   * All changes after `afterSequence`, or those of whole commits once they are more than `limit`.
   * Throws when a row is damaged, or one is missing.
   */
  #readRows(afterSequence: number, limit: number, latest: number): readonly OpenChange[] {
    const changes: OpenChange[] = [];
    let next: number | undefined;
    for (const found of this.#rowsFrom.use().iterate(afterSequence + 1)) {
      const row = openChangeRow(found);
      if (row === undefined) throw this.#damaged('a recorded change fails its checksum');
      if (next !== undefined && row.sequence !== next) throw this.#missing();
      addChanges(changes, row, afterSequence);
      next = row.sequence + row.commits;
      if (changes.length > limit) return changes;
    }
    if (next !== undefined && next !== latest + 1) throw this.#missing();
    return changes;
  }

  #missing(): Error {
    return this.#damaged('recorded changes are missing');
  }

  #damaged(reason: string): Error {
    return storeDamaged(this.#options.file, reason);
  }
}

/** Adds the changes of a row that come after a commit. */
function addChanges(changes: OpenChange[], row: ChangeRow, afterSequence: number): void {
  const { atMs, commits, groups } = row;
  let sequence = row.sequence;
  for (const [kind, region, keys] of groups) {
    for (const key of keys) {
      if (sequence > afterSequence) changes.push({ sequence, atMs, kind, region, key });
      if (commits > 1) sequence += 1;
    }
  }
}

/** After the last commit that ends within the limit, or after the first one if that is larger. */
function findPageEnd(changes: readonly OpenChange[], limit: number): number {
  const next = changes[limit]?.sequence;
  if (next === undefined) return changes.length;
  let end = limit;
  while (end > 0 && changes[end - 1]?.sequence === next) end -= 1;
  if (end > 0) return end;
  while (changes[end]?.sequence === next) end += 1;
  return end;
}
