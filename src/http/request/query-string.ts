// The query part of a URL, split but not decoded: keys must be split on raw
// commas before they are decoded, so the caller decodes.

import { badParameter } from '../errors.ts';
import { decodePart } from './decode-part.ts';

export class QueryString {
  readonly #raw: string;
  #pairs: readonly (readonly [name: string, value: string])[] | undefined;

  constructor(raw: string) {
    this.#raw = raw;
  }

  /** Every name given, decoded, in order. */
  names(): readonly string[] {
    return this.pairs().map((pair) => pair[0]);
  }

  /** Every raw value given under this name, in order. */
  all(name: string): readonly string[] {
    return this.pairs()
      .filter((pair) => pair[0] === name)
      .map((pair) => pair[1]);
  }

  /** The raw value, or undefined; two values are an error, because they are ambiguous. */
  raw(name: string): string | undefined {
    if (this.#raw === '') return undefined;
    let raw: string | undefined;
    for (const [pairName, value] of this.pairs()) {
      if (pairName !== name) continue;
      if (raw !== undefined) throw badParameter(`Query parameter ${name} is given twice`);
      raw = value;
    }
    return raw;
  }

  /** The decoded value; `+` is a plus. */
  text(name: string): string | undefined {
    const raw = this.raw(name);
    return raw === undefined ? undefined : decodePart(raw);
  }

  /** The decoded value of a required parameter, which must not be empty. */
  require(name: string): string {
    const value = this.text(name);
    if (value === undefined || value === '') {
      throw badParameter(`Query parameter ${name} is missing`);
    }
    return value;
  }

  /** Every name, decoded, with its raw value, in order. */
  pairs(): readonly (readonly [name: string, value: string])[] {
    if (this.#raw === '') return NO_PAIRS;
    this.#pairs ??= this.#raw.split('&').filter(Boolean).map(splitPair);
    return this.#pairs;
  }
}

const NO_PAIRS: readonly [string, string][] = [];

function splitPair(pair: string): readonly [string, string] {
  const equals = pair.indexOf('=');
  if (equals < 0) return [decodePart(pair), ''];
  return [decodePart(pair.slice(0, equals)), pair.slice(equals + 1)];
}
