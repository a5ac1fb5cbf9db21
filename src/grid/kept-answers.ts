// Answers to requests that carry an idempotency key: entries of a reserved region, written in the
// commit that they report. So an answer exists exactly when its request was done, after a crash and
// on every server of the store. Such an entry has the version of the commit, so the answer need not
// hold it.

import type { Engine, RegionWrite } from '../engine/engine.ts';
import { toTexts } from '../engine/joined-texts.ts';

export const KEPT_ANSWERS_REGION = '_idempotency';

/** Records read at a time; those that are too old are removed in one commit. */
const SWEEP_RECORDS = 1000;

export interface KeptAnswer {
  /** As it was given to `toWrite`. */
  readonly answer: string;
  /** The commit that it answers. */
  readonly version: number;
}

/** The place of an answer: a fresh one, or that of an answer that is too old. */
export interface AnswerPlace {
  readonly key: string;
  readonly replaces: number | undefined;
}

interface KeptAnswersParts {
  readonly engine: Engine;
  readonly keepMs: number;
  /** Milliseconds since 1970. */
  readonly wallClock: () => number;
}

export class KeptAnswers {
  readonly #engine: Engine;
  readonly #keepMs: number;
  readonly #wallClock: () => number;
  #sweptTo: string | undefined;

  constructor({ engine, keepMs, wallClock }: KeptAnswersParts) {
    this.#engine = engine;
    this.#keepMs = keepMs;
    this.#wallClock = wallClock;
  }

  /** The answer kept under a key, or the place for one. */
  async find(key: string): Promise<KeptAnswer | AnswerPlace> {
    const region = await this.#engine.openRegion(KEPT_ANSWERS_REGION);
    if (region === undefined) {
      await this.#engine.createRegion({
        name: KEPT_ANSWERS_REGION,
        type: 'REPLICATE',
        keyConstraint: null,
        valueConstraint: null,
      });
      return { key, replaces: undefined };
    }
    const [entry] = await region.read([key]);
    if (entry === undefined) return { key, replaces: undefined };
    const { answer, atMs } = parseRecord(entry.value);
    if (this.#isOld(atMs)) return { key, replaces: entry.version };
    return { answer, version: entry.version };
  }

  /** Refused when another request of the same key was done meanwhile. */
  toWrite({ key, replaces }: AnswerPlace, answer: string): RegionWrite {
    return {
      region: KEPT_ANSWERS_REGION,
      changes: [{ kind: 'put', key, value: printRecord(this.#wallClock(), answer) }],
      guards: [
        replaces === undefined
          ? { kind: 'absent', key }
          : { kind: 'version-is', key, versions: [replaces] },
      ],
    };
  }

  /** Removes the old ones among the next records; gives how many, and whether all were seen. */
  async sweep(): Promise<{ readonly removed: number; readonly isRound: boolean }> {
    const region = await this.#engine.openRegion(KEPT_ANSWERS_REGION);
    if (region === undefined) return { removed: 0, isRound: true };
    const snapshot = await this.#engine.openSnapshot();
    const old: { readonly key: string; readonly version: number }[] = [];
    let seen = 0;
    try {
      const range = this.#sweptTo === undefined ? {} : { after: this.#sweptTo };
      for await (const batch of snapshot.scan(
        KEPT_ANSWERS_REGION,
        { ...range, limit: SWEEP_RECORDS },
        'entries',
      )) {
        const oldKeys: string[] = [];
        for (const [key, value] of toTexts(batch)) {
          seen += 1;
          this.#sweptTo = key;
          if (this.#isOld(parseRecord(value).atMs)) oldKeys.push(key);
        }
        const entries = await snapshot.read(KEPT_ANSWERS_REGION, oldKeys);
        for (const [i, key] of oldKeys.entries()) {
          old.push({ key, version: entries[i]?.version ?? 0 });
        }
      }
    } finally {
      snapshot.close();
    }
    const isRound = seen < SWEEP_RECORDS;
    if (isRound) this.#sweptTo = undefined;
    if (old.length === 0) return { removed: 0, isRound };
    // Another server may sweep at the same time; the next round sees what it removed.
    const outcome = await region.write(
      old.map(({ key }) => ({ kind: 'remove', key })),
      old.map(({ key, version }) => ({ kind: 'version-is', key, versions: [version] })),
    );
    return { removed: outcome.kind === 'committed' ? old.length : 0, isRound };
  }

  #isOld(atMs: number): boolean {
    return this.#wallClock() - atMs >= this.#keepMs;
  }
}

/** The time stands in front, where it is found without parsing the answer. */
function printRecord(atMs: number, answer: string): string {
  return `{"at":${atMs},"answer":${answer}}`;
}

function parseRecord(value: string): { readonly atMs: number; readonly answer: string } {
  const comma = value.indexOf(',');
  const atMs = Number(value.slice('{"at":'.length, comma));
  return { atMs, answer: value.slice(comma + ',"answer":'.length, -1) };
}
