// The counters of a region while a write changes its entries.

import { addDigest, digestEntry, removeDigest } from './digest.ts';
import type { OldEntry } from './old-entries.ts';
import type { RegionRow } from './schema.ts';
import { sealedLength } from './seal.ts';

type CounterState = Pick<RegionRow, 'digest' | 'entryCount' | 'largestValue' | 'valueBytes'>;

export class Counters {
  #digest: number;
  #entryCount: number;
  #largestValue: number;
  #valueBytes: number;

  constructor({ digest, entryCount, largestValue, valueBytes }: CounterState) {
    this.#digest = digest;
    this.#entryCount = entryCount;
    this.#largestValue = largestValue;
    this.#valueBytes = valueBytes;
  }

  get state(): CounterState {
    return {
      digest: this.#digest,
      entryCount: this.#entryCount,
      largestValue: this.#largestValue,
      valueBytes: this.#valueBytes,
    };
  }

  remove({ digest, size }: OldEntry): void {
    this.#entryCount -= 1;
    this.#valueBytes -= size;
    this.#digest = removeDigest(this.#digest, digest);
  }

  add(version: number, seal: string): void {
    const size = sealedLength(seal, 0);
    this.#entryCount += 1;
    this.#valueBytes += size;
    this.#largestValue = Math.max(this.#largestValue, size);
    this.#digest = addDigest(this.#digest, digestEntry(version, seal));
  }
}
