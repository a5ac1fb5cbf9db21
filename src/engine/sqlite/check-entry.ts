// Checks the entries of one region against their seals, against the rules for keys and values, and
// against the counters that the region states.

import { checkJson, MAX_JSON_DEPTH } from '../../value/json-check.ts';
import { kindOfJson } from '../../value/json-text.ts';
import { printAmount } from '../../value/print-amount.ts';
import { decodeKey, encodeKey } from '../key-encoding.ts';
import { addDigest, digestEntry, EMPTY_DIGEST } from './digest.ts';
import type { StatedRegion } from './migrations/migrate-store.ts';
import { openEntry, sealedLength } from './seal.ts';
import type { RawEntry } from './store-reader.ts';

/** A seal stores the length of a value modulo this. */
const LENGTH_MODULUS = 2 ** 24;
const SHOWN_KEY_LENGTH = 60;

export class EntryCheck {
  readonly #region: StatedRegion;
  readonly #sequence: number;
  readonly #report: (text: string) => void;
  #lastKey = '';
  #largestValue = 0;
  #digest = EMPTY_DIGEST;
  entryCount = 0;
  valueBytes = 0;

  constructor(region: StatedRegion, sequence: number | undefined, report: (text: string) => void) {
    this.#region = region;
    this.#sequence = sequence ?? Number.MAX_SAFE_INTEGER;
    this.#report = report;
  }

  take({ isLinked, seal, storedKey, value, version }: RawEntry): void {
    this.entryCount += 1;
    const isTyped =
      typeof storedKey === 'string' &&
      typeof value === 'string' &&
      typeof seal === 'string' &&
      typeof version === 'number';
    if (!isTyped) {
      const isLost = isLinked === 0 && value === null;
      const loss = isLost ? ', or has lost its large value' : '';
      this.#report(`entry ${this.entryCount} has a column of the wrong type${loss}`);
      return;
    }
    const key = decodeKey(storedKey);
    const report = (text: string): void => this.#report(`key ${printKey(key)}: ${text}`);
    const bytes = Buffer.from(value);
    this.valueBytes += bytes.length;
    this.#largestValue = Math.max(this.#largestValue, bytes.length);
    this.#digest = addDigest(this.#digest, digestEntry(version, seal));
    this.#checkKey(storedKey, key, report);
    if (version < 1 || version > this.#sequence) {
      report(`has version ${version}, which is not that of a commit`);
    }
    const isSealed =
      openEntry(storedKey, [version, seal, value]) !== undefined &&
      sealedLength(seal, 0) === bytes.length % LENGTH_MODULUS;
    if (!isSealed) report('fails its checksum');
    if (isLinked === 0) report('refers to a large value with another checksum');
    const flaw = findFlaw(value, bytes);
    if (flaw !== undefined) report(flaw);
  }

  /** Compares the counted figures with those that the region states. */
  finish(): void {
    const { definition, digest, entryCount, largestValue, valueBytes } = this.#region;
    if (this.entryCount !== entryCount) {
      this.#report(
        `has ${printAmount(this.entryCount, 'entry', 'entries')} but states ${entryCount}`,
      );
    }
    if (this.valueBytes !== valueBytes) {
      this.#report(`has ${this.valueBytes} bytes of values but states ${valueBytes}`);
    }
    if (digest !== undefined && this.#digest !== digest) {
      this.#report('has entries that do not match its digest');
    }
    if (this.#largestValue > largestValue) {
      this.#report(`has a value of ${this.#largestValue} bytes but states at most ${largestValue}`);
    }
    if (definition.type === 'EMPTY' && this.entryCount > 0) {
      this.#report('keeps entries although its type is EMPTY');
    }
  }

  #checkKey(storedKey: string, key: string, report: (text: string) => void): void {
    if (key === '' || key.includes('\0') || encodeKey(key) !== storedKey) {
      report('is not a validly encoded key');
    }
    // SQLite returns rows in the order of stored keys, which must be the order of keys too.
    if (this.entryCount > 1 && !(key > this.#lastKey)) report('is out of order');
    this.#lastKey = key;
  }
}

/** The defect of a value, apart from its seal. */
function findFlaw(value: string, bytes: Uint8Array): string | undefined {
  try {
    if (checkJson(bytes, { maxDepth: MAX_JSON_DEPTH }) !== bytes) return 'is not compact JSON';
  } catch (error) {
    return `is not JSON: ${error instanceof Error ? error.message : String(error)}`;
  }
  const kind = kindOfJson(value);
  return kind === 'object' || kind === 'array' ? undefined : `is a JSON ${kind}, not an object`;
}

function printKey(key: string): string {
  const shown = JSON.stringify(key);
  return shown.length <= SHOWN_KEY_LENGTH ? shown : `${shown.slice(0, SHOWN_KEY_LENGTH)}…`;
}
