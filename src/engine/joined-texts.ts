// Joined texts as bytes: created by adapters that have texts in another form, and split for readers that
// need strings.

import { type EntryBytes, type JoinedTexts, startOf } from '../value/entry-bytes.ts';
import { splitArray } from '../value/json-text.ts';
import type { JoinedValues, StoredEntry, ValuesTogether } from './engine.ts';
import type { ScanBatches, ScanForm } from './scan-batches.ts';

const NEWLINE = 0x0a;
const encoder = new TextEncoder();
/** A key may begin with U+FEFF. */
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Entries as strings, in key order. */
export function toTexts({ keys, values }: EntryBytes): readonly (readonly [string, string])[] {
  // A value contains no raw newline; a key may contain anything but NUL.
  const lines = keys.ends.length === 0 ? [] : decoder.decode(values.bytes).split('\n');
  return lines.map((value, i) => [textAt(keys, i), value]);
}

function textAt({ bytes, ends }: JoinedTexts, index: number): string {
  return decoder.decode(bytes.subarray(startOf(ends, index), ends[index]));
}

type KeyedText = readonly [key: string, value: string];

const FORMS: {
  readonly [Form in ScanForm]: (entries: readonly KeyedText[]) => ScanBatches[Form];
} = {
  entries: (entries) => ({
    keys: joinTexts(entries.map(([key]) => key)),
    values: findLines(encoder.encode(entries.map(([, value]) => value).join('\n'))),
  }),
  values: (entries) => encoder.encode(entries.map(([, value]) => value).join(',')),
  keys: (entries) => entries.map(([key]) => key),
};

/** Entries given as strings, at least one, as a batch of a scan. */
export function toBatch<Form extends ScanForm>(
  entries: readonly KeyedText[],
  form: Form,
): ScanBatches[Form] {
  return FORMS[form](entries);
}

/** Joined by NUL, which no key contains. */
export function joinTexts(texts: readonly string[]): JoinedTexts {
  const bytes = encoder.encode(texts.join('\0'));
  const ends = new Uint32Array(texts.length);
  for (let index = 0, at = 0; index < texts.length; index += 1) {
    const end = bytes.indexOf(0, at);
    ends[index] = end < 0 ? bytes.length : end;
    at = end + 1;
  }
  return { bytes, ends };
}

/** The lines of a text that has at least one. */
export function findLines(bytes: Uint8Array): JoinedTexts {
  const ends: number[] = [];
  for (let at = 0; at >= 0; ) {
    const end = bytes.indexOf(NEWLINE, at);
    ends.push(end < 0 ? bytes.length : end);
    at = end < 0 ? end : end + 1;
  }
  return { bytes, ends: Uint32Array.from(ends) };
}

/** For adapters that have values as strings. */
export function joinValues(values: readonly string[]): JoinedValues {
  // Not `Buffer.from`, which shares the memory of small buffers.
  return encoder.encode(values.join(','));
}

/** For readers that want them one by one. */
export function splitValues(values: JoinedValues): readonly string[] {
  return splitArray(`[${decoder.decode(values)}]`);
}

/** For `Region.readTogether`: undefined when an entry is absent. */
export function joinEntries(
  entries: readonly (StoredEntry | undefined)[],
): ValuesTogether | undefined {
  const found = entries.filter((entry) => entry !== undefined);
  if (found.length < entries.length) return undefined;
  const versions = found.map(({ version }) => version);
  return { versions, values: joinValues(found.map(({ value }) => value)) };
}
