// The one shape in which region data is read: {"<region>":[value, …]}. Values are concatenated as
// stored, never parsed.

import type { JoinedValues } from '../../grid/index.ts';

export interface MeasuredText {
  readonly body: string;
  readonly bodyBytes: number;
}

/** A region's name needs no escaping: letters, digits, `-`, `_`, `.` (grid/region-rules.ts). */
export function regionJson(region: string, values: string): MeasuredText {
  const body = `{"${region}":[${values}]}`;
  // Everything around the values is ASCII.
  return { body, bodyBytes: body.length - values.length + Buffer.byteLength(values) };
}

/** Wraps values that are joined by commas, in their own buffer if it has room. */
export function elementsJson(region: string, elements: JoinedValues): Buffer {
  const start = `{"${region}":[`;
  const bytes = start.length + elements.length + END.length;
  const before = elements.byteOffset - start.length;
  const hasRoom = before >= 0 && before + bytes <= elements.buffer.byteLength;
  const json = hasRoom
    ? Buffer.from(elements.buffer, before, bytes)
    : Buffer.allocUnsafeSlow(bytes);
  if (!hasRoom) json.set(elements, start.length);
  json.write(start, 'latin1');
  json.write(END, bytes - END.length, 'latin1');
  return json;
}

const END = ']}';

export async function* streamRegionJson(
  region: string,
  batches: AsyncIterable<Uint8Array>,
): AsyncGenerator<string | Uint8Array> {
  // Held back until the first batch, so that a read that fails at once has sent nothing.
  const opening = `{"${region}":[`;
  let before = opening;
  for await (const elements of batches) {
    if (elements.length === 0) continue;
    yield before;
    before = ',';
    yield elements;
  }
  yield before === ',' ? ']}' : `${opening}]}`;
}

/** Keys as `{"keys":[…]}`. */
export async function* streamKeysJson(
  batches: AsyncIterable<readonly string[]>,
): AsyncGenerator<string> {
  const opening = '{"keys":[';
  let before = opening;
  for await (const keys of batches) {
    if (keys.length === 0) continue;
    yield before + JSON.stringify(keys).slice(1, -1);
    before = ',';
  }
  yield before === ',' ? ']}' : `${opening}]}`;
}
