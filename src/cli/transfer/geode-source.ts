// A running Geode, read through its developer REST API. Values are copied from the answers as text,
// so that no digit is lost; keys are sent in the URL, in portions.

import type { NamedQuery, RegionShape } from '../../client/index.ts';
import { checkJson, MAX_JSON_DEPTH } from '../../value/json-check.ts';
import { kindOfJson, splitArray, splitObject } from '../../value/json-text.ts';
import type { TextEntry } from './grid-access.ts';

/** Geode's refusal, or the reason why it could not be reached. */
export class GeodeError extends Error {
  /** Marks it as an expected failure. */
  readonly code = 'GEODE';

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'GeodeError';
  }
}

/** A key as Geode lists it. */
export interface GeodeKey {
  /** Its key in gridkeep. */
  readonly text: string;
  /** Whether it is a number in Geode; those are only found by queries. */
  readonly isNumber: boolean;
}

const ROOTS = /\/(?:geode|gemfire-api)\/v1\/?$/;
/** Jetty accepts heads of 8 KiB. */
const MAX_ADDRESS = 6000;
const MAX_KEYS = 200;
/** Of `, ` between the keys of a query, encoded twice; the comma between keys of a path is shorter. */
const SEPARATOR_CHARACTERS = 10;

/** Geode's region types, by the type they become here. */
const TYPES: ReadonlyMap<string, string> = new Map([
  ['REPLICATE', 'REPLICATE'],
  ['PERSISTENT_REPLICATE', 'REPLICATE'],
  ['PRELOADED', 'REPLICATE'],
  ['NORMAL', 'REPLICATE'],
  ['PARTITION', 'PARTITION'],
  ['PERSISTENT_PARTITION', 'PARTITION'],
  ['EMPTY', 'EMPTY'],
]);
const KEY_CONSTRAINTS = ['java.lang.String', 'java.lang.Integer', 'java.lang.Long'];

export class GeodeSource {
  readonly base: string;
  readonly #headers: Readonly<Record<string, string>>;

  /** The problem with an address, as a sentence. */
  static findMisuse(url: string): string | undefined {
    const address = URL.parse(url);
    return address === null || !/^https?:$/.test(address.protocol) || address.username !== ''
      ? '--from-geode must be an address such as http://127.0.0.1:7070/geode/v1, without a login'
      : undefined;
  }

  /** The address of a member, with or without the path of its API. `login` is `user:password`. */
  constructor(url: string, login: string | undefined) {
    const address = new URL(url);
    const path = address.pathname.replace(/\/$/, '');
    this.base = `${address.origin}${ROOTS.test(path) ? path : `${path}/geode/v1`}`;
    const authorization =
      login === undefined
        ? {}
        : { authorization: `Basic ${Buffer.from(login).toString('base64')}` };
    this.#headers = { accept: 'application/json', ...authorization };
  }

  async listRegions(): Promise<readonly RegionShape[]> {
    const { regions } = await this.#readObject('', 'regions');
    return splitArray(regions).map(toRegion);
  }

  async listQueries(): Promise<readonly NamedQuery[]> {
    const { queries } = await this.#readObject('/queries', 'queries');
    return splitArray(queries).map((query) => JSON.parse(query) as NamedQuery); // by Geode's rules
  }

  /** In the order of numbers, then of texts: the same in every run. */
  async listKeys(region: string): Promise<readonly GeodeKey[]> {
    const { keys } = await this.#readObject(`/${encodeURIComponent(region)}/keys`, 'keys');
    const geodeKeys = splitArray(keys).map((key) => toKey(key, region));
    const numbers = new Set(geodeKeys.flatMap(({ isNumber, text }) => (isNumber ? [text] : [])));
    const ambiguous = geodeKeys.find(({ isNumber, text }) => !isNumber && numbers.has(text));
    if (ambiguous !== undefined) {
      throw new GeodeError(
        `region ${region} has the number ${ambiguous.text} and the text "${ambiguous.text}" as keys, which would become one entry`,
      );
    }
    return geodeKeys.toSorted(compareKeys);
  }

  /** Entries under these keys, in order; skips those removed meanwhile. */
  async *readEntries(region: string, keys: readonly GeodeKey[]): AsyncGenerator<TextEntry> {
    for (const portion of portionsOf(keys)) {
      const read = portion[0]?.isNumber === true ? this.#queryEntries : this.#readPortion;
      yield* await read.call(this, region, portion);
    }
  }

  async #readPortion(region: string, keys: readonly GeodeKey[]): Promise<readonly TextEntry[]> {
    // A single key would be answered in another form.
    const requested = keys.length === 1 ? [...keys, ...keys] : keys;
    const list = requested.map(({ text }) => encodeTwice(text)).join(',');
    const path = `/${encodeURIComponent(region)}?keys=${list}&ignoreMissingKey=true`;
    const members = splitObject(await this.#read(path));
    const values = splitArray(members.get(region) ?? '[]');
    return keys.flatMap(({ text: key }, index) => {
      const value = values[index] ?? 'null';
      return value === 'null' ? [] : [{ key, value }];
    });
  }

  /** Reads numeric keys by query, because Geode treats keys in URLs as texts. */
  async #queryEntries(region: string, keys: readonly GeodeKey[]): Promise<readonly TextEntry[]> {
    const list = keys.map(({ text }) => literalOf(text)).join(', ');
    const path = region.includes('.') ? `/'${region}'` : `/${region}`;
    const oql = `SELECT e.key AS k, e.value AS v FROM ${path}.entries e WHERE e.key IN SET(${list})`;
    const rows = splitArray(await this.#read(`/queries/adhoc?q=${encodeTwice(oql)}`)).map(
      splitObject,
    );
    const values = new Map(rows.map((row) => [row.get('k') ?? '', row.get('v') ?? 'null']));
    return keys.flatMap(({ text: key }) => {
      const value = values.get(key) ?? 'null';
      return value === 'null' ? [] : [{ key, value }];
    });
  }

  async #readObject<Name extends string>(path: string, name: Name): Promise<Record<Name, string>> {
    const json = await this.#read(path);
    const member = kindOfJson(json) === 'object' ? splitObject(json).get(name) : undefined;
    if (member === undefined || kindOfJson(member) !== 'array') {
      throw new GeodeError(`${this.base}${path} does not answer as Geode does`);
    }
    return { [name]: member } as Record<Name, string>; // the name is the only one
  }

  /** The answer as compact JSON. */
  async #read(path: string): Promise<string> {
    const url = this.base + path;
    let answer: Response;
    let bytes: Uint8Array;
    try {
      answer = await fetch(url, { headers: this.#headers });
      bytes = new Uint8Array(await answer.arrayBuffer());
    } catch (error) {
      throw new GeodeError(`${this.base} cannot be reached: ${reasonOf(error)}`, { cause: error });
    }
    const shownUrl = url.slice(0, 200);
    if (!answer.ok) {
      const text = new TextDecoder().decode(bytes.subarray(0, 300));
      throw new GeodeError(`${shownUrl} was answered with ${answer.status}: ${text}`);
    }
    try {
      return new TextDecoder().decode(checkJson(bytes, { maxDepth: MAX_JSON_DEPTH }));
    } catch (error) {
      throw new GeodeError(`${shownUrl} was answered with something that is not JSON`, {
        cause: error,
      });
    }
  }
}

function toRegion(json: string): RegionShape {
  const members = splitObject(json);
  const name = textOf(members.get('name')) ?? '';
  const type = textOf(members.get('type')) ?? '';
  const keyConstraint = textOf(members.get('key-constraint'));
  return {
    name,
    type: TYPES.get(type) ?? type,
    keyConstraint: KEY_CONSTRAINTS.includes(keyConstraint ?? '') ? keyConstraint : null,
    valueConstraint: textOf(members.get('value-constraint')),
  };
}

function textOf(json: string | undefined): string | null {
  return json !== undefined && kindOfJson(json) === 'string' ? (JSON.parse(json) as string) : null;
}

function toKey(json: string, region: string): GeodeKey {
  const kind = kindOfJson(json);
  if (kind === 'string') return { text: JSON.parse(json) as string, isNumber: false }; // by its kind
  if (kind === 'number') return { text: json, isNumber: true };
  throw new GeodeError(`region ${region} has a key that is neither a text nor a number: ${json}`);
}

function compareKeys(left: GeodeKey, right: GeodeKey): number {
  if (left.isNumber !== right.isNumber) return left.isNumber ? -1 : 1;
  if (left.isNumber) return Number(left.text) - Number(right.text);
  return left.text < right.text ? -1 : Number(left.text > right.text);
}

/** Portions of keys that fit into a URL, each of one kind. */
function* portionsOf(keys: readonly GeodeKey[]): Generator<readonly GeodeKey[]> {
  let portion: GeodeKey[] = [];
  let length = 0;
  for (const key of keys) {
    const characters = encodeTwice(key.text).length + SEPARATOR_CHARACTERS;
    const isFull = length + characters > MAX_ADDRESS || portion.length === MAX_KEYS;
    if (portion.length > 0 && (isFull || portion[0]?.isNumber !== key.isNumber)) {
      yield portion;
      portion = [];
      length = 0;
    }
    portion.push(key);
    length += characters;
  }
  if (portion.length > 0) yield portion;
}

/** Whole numbers beyond 32 bits are longs to Geode. */
function literalOf(number: string): string {
  const isLong = /^-?\d+$/.test(number) && Math.abs(Number(number)) > 2 ** 31 - 1;
  return isLong ? `${number}L` : number;
}

/** Geode decodes keys and query texts twice. */
function encodeTwice(text: string): string {
  return encodeURIComponent(encodeURIComponent(text));
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return cause instanceof Error ? cause.message || String(cause) : String(cause);
}
