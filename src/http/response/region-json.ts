// The one shape in which region data is read: {"<region>":[value, …]}. Values
// are put together as they are stored, never parsed.

import { linesToElements } from './print-elements.ts';

export interface MeasuredText {
  readonly body: string;
  readonly bodyBytes: number;
}

/** A region's name needs no escaping: letters, digits, `-`, `_`, `.` (grid/region-rules.ts). */
export function regionJson(region: string, values: string): MeasuredText {
  const body = `{"${region}":[${values}]}`;
  // All around the values is ASCII.
  return { body, bodyBytes: body.length - values.length + Buffer.byteLength(values) };
}

/** Around values that are joined by commas already. */
export function elementsJson(region: string, elements: Uint8Array): Buffer {
  const start = `{"${region}":[`;
  const json = Buffer.allocUnsafe(start.length + elements.length + 2);
  json.write(start, 'latin1');
  json.set(elements, start.length);
  json.write(']}', json.length - 2, 'latin1');
  return json;
}

/** A copy of values that stand one per line: they stay as they are. */
export function linesJson(region: string, lines: Uint8Array): Buffer {
  const json = Buffer.concat([Buffer.from(`{"${region}":[`), lines, Buffer.from(']}')]);
  return linesToElements(json);
}

export async function* streamRegionJson(
  region: string,
  batches: AsyncIterable<Uint8Array>,
): AsyncGenerator<string | Uint8Array> {
  // Held back until there is a batch: a read that fails at once has given nothing.
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
