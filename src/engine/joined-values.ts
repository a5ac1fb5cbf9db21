import { splitArray } from '../value/json-text.ts';
import type { JoinedValues } from './engine.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** For adapters that have values as strings. */
export function joinValues(values: readonly string[]): JoinedValues {
  // Not `Buffer.from`, which shares the memory of small buffers.
  return encoder.encode(values.join(','));
}

/** For readers that want them one by one. */
export function splitValues(values: JoinedValues): readonly string[] {
  return splitArray(`[${decoder.decode(values)}]`);
}
