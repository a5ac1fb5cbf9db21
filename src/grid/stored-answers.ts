// Stored answers to requests with an idempotency key: entries of a reserved region, written in the
// commit that they report. So an answer exists exactly if its request was committed, also after a
// crash and on every server of the store. The entry's version is that of the commit, so the answer
// does not repeat it.

import type { Engine, RegionWrite } from '../engine/engine.ts';
import { toTexts } from '../engine/joined-texts.ts';
import { unchangedGuard } from './precondition.ts';
import { reservedRegion } from './region-rules.ts';

export const ANSWERS_REGION = '_idempotency';

/** Records read at a time; those that are too old are removed in one commit. */
const SWEEP_RECORDS = 1000;

export interface StoredAnswer {
  /** As it was given to `toWrite`. */
  readonly answer: string;
  /** The commit that it answers. */
  readonly version: number;
}

/** The record of a new answer. `replaces` is the version of an expired answer under the same key. */
export interface AnswerRecord {
  readonly key: string;
  readonly replaces: number | undefined;
}

interface StoredAnswersParts {
  readonly engine: Engine;
  readonly keepMs: number;
  /** Milliseconds since 1970. */
  readonly wallClock: () => number;
}

export class StoredAnswers {
  readonly #parts: StoredAnswersParts;
  #sweptTo: string | undefined;

  constructor(parts: StoredAnswersParts) {
    this.#parts = parts;
  }

  /** The stored answer of a key, or the record to write for it. */
  async find(key: string): Promise<StoredAnswer | AnswerRecord> {
    const region = await this.#parts.engine.openRegion(ANSWERS_REGION);
    if (region === undefined) {
      await this.#parts.engine.createRegion(reservedRegion(ANSWERS_REGION));
      return { key, replaces: undefined };
    }
    const [entry] = await region.read([key]);
    if (entry === undefined) return { key, replaces: undefined };
    const { answer, atMs } = parseAnswerRecord(entry.value);
    if (this.#isOld(atMs)) return { key, replaces: entry.version };
    return { answer, version: entry.version };
  }

  /** Its commit is refused when another request with the same key was committed meanwhile. */
  toWrite({ key, replaces }: AnswerRecord, answer: string): RegionWrite {
    return {
      region: ANSWERS_REGION,
      changes: [{ kind: 'put', key, value: printAnswerRecord(this.#parts.wallClock(), answer) }],
      guards: [unchangedGuard(key, replaces)],
    };
  }

  /**
   * Removes expired answers among the next records; returns their number, and whether the round is
   * complete.
   */
  async sweep(): Promise<{ readonly removed: number; readonly isRoundComplete: boolean }> {
    const region = await this.#parts.engine.openRegion(ANSWERS_REGION);
    if (region === undefined) return { removed: 0, isRoundComplete: true };
    const snapshot = await this.#parts.engine.openSnapshot();
    const old: { readonly key: string; readonly version: number }[] = [];
    let seen = 0;
    try {
      const range = { after: this.#sweptTo, limit: SWEEP_RECORDS };
      for await (const batch of snapshot.scan(ANSWERS_REGION, range, 'entries')) {
        const oldKeys: string[] = [];
        for (const [key, value] of toTexts(batch)) {
          seen += 1;
          this.#sweptTo = key;
          if (this.#isOld(parseAnswerRecord(value).atMs)) oldKeys.push(key);
        }
        const entries = await snapshot.read(ANSWERS_REGION, oldKeys);
        for (const [i, key] of oldKeys.entries()) {
          old.push({ key, version: entries[i]?.version ?? 0 });
        }
      }
    } finally {
      snapshot.close();
    }
    const isRoundComplete = seen < SWEEP_RECORDS;
    if (isRoundComplete) this.#sweptTo = undefined;
    if (old.length === 0) return { removed: 0, isRoundComplete };
    // Another server may sweep at the same time; the next round sees what it removed.
    const outcome = await region.write(
      old.map(({ key }) => ({ kind: 'remove', key })),
      old.map(({ key, version }) => ({ kind: 'version-is', key, versions: [version] })),
    );
    return { removed: outcome.kind === 'committed' ? old.length : 0, isRoundComplete };
  }

  #isOld(atMs: number): boolean {
    return this.#parts.wallClock() - atMs >= this.#parts.keepMs;
  }
}

/** The time comes first, so that it can be read without parsing the answer. */
function printAnswerRecord(atMs: number, answer: string): string {
  return `{"at":${atMs},"answer":${answer}}`;
}

function parseAnswerRecord(value: string): { readonly atMs: number; readonly answer: string } {
  const comma = value.indexOf(',');
  const atMs = Number(value.slice('{"at":'.length, comma));
  return { atMs, answer: value.slice(comma + ',"answer":'.length, -1) };
}
