// The one shape in which region data is read: {"<region>":[value, …]}. Values are concatenated as
// stored, never parsed.

import type { JoinedValues } from '../../grid/index.ts';
import type { BodyPiece } from './api-response.ts';

/** A region's name needs no escaping: letters, digits, `-`, `_`, `.` (grid/region-rules.ts). */
export function regionJson(
  region: string,
  values: string,
): { readonly body: string; readonly bodyBytes: number } {
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

/** `{"name":[elements]}`, from batches of elements joined by commas; undefined for an empty one. */
export async function* streamDocument<Batch>(
  name: string,
  batches: AsyncIterable<Batch>,
  print: (batch: Batch) => BodyPiece | undefined,
): AsyncGenerator<BodyPiece> {
  // Held back until the first batch, so that a read that fails at once has sent nothing.
  const opening = `{${JSON.stringify(name)}:[`;
  let before = opening;
  for await (const batch of batches) {
    const elements = print(batch);
    if (elements === undefined) continue;
    yield before;
    before = ',';
    yield elements;
  }
  yield before === ',' ? ']}' : `${opening}]}`;
}

export function streamRegionJson(
  region: string,
  batches: AsyncIterable<Uint8Array>,
): AsyncGenerator<BodyPiece> {
  return streamDocument(region, batches, (values) => (values.length === 0 ? undefined : values));
}

/** Keys as `{"keys":[…]}`. */
export function streamKeysJson(
  batches: AsyncIterable<readonly string[]>,
): AsyncGenerator<BodyPiece> {
  return streamDocument('keys', batches, (keys) =>
    keys.length === 0 ? undefined : JSON.stringify(keys).slice(1, -1),
  );
}
