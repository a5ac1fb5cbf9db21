// The types a bind parameter can be declared with, and the values each of them takes. Numbers may
// come as JSON numbers or as text; what does not fit its type is refused, never rounded.

import { parseInteger } from '../../value/number.ts';
import { MAX_EPOCH_MS, parseDate, parseTimestamp } from '../../value/temporal.ts';
import { Char, Double, Float, isList, Temporal, type Value } from '../../value/value.ts';

export interface ParameterType {
  readonly name: string;
  /** The names it can be declared by, if there are several. */
  readonly names?: readonly string[];
  /**
   * The value of a text without quotes and blanks around it; undefined if it is not of the type.
   * Some types depend on what was parsed.
   */
  readonly convert: (text: string, parsed: Value) => Value | undefined;
}

const TYPES: readonly ParameterType[] = [
  { name: 'byte', convert: (text) => toInteger(text, 8) },
  { name: 'short', convert: (text) => toInteger(text, 16) },
  { name: 'int', names: ['int', 'integer'], convert: (text) => toInteger(text, 32) },
  { name: 'long', convert: (text) => toInteger(text, 64) },
  { name: 'biginteger', names: ['bigint', 'biginteger'], convert: (text) => toInteger(text) },
  { name: 'float', convert: toFloat },
  { name: 'double', convert: toDouble },
  { name: 'bigdecimal', names: ['decimal', 'bigdecimal'], convert: toDecimal },
  { name: 'boolean', convert: toBoolean },
  { name: 'string', convert: (_, value) => (typeof value === 'string' ? value : undefined) },
  { name: 'char', names: ['char', 'character'], convert: (_, value) => toChar(value) },
  { name: 'date', convert: toTemporal },
  { name: 'list', convert: (_, value) => (isList(value) ? value : undefined) },
  { name: 'null', convert: () => undefined },
];

const BY_NAME: ReadonlyMap<string, ParameterType> = new Map(
  TYPES.flatMap((type) => (type.names ?? [type.name]).map((name) => [name, type] as const)),
);

/** Every name a type can be declared by. */
export const PARAMETER_TYPES: readonly string[] = [...BY_NAME.keys()];

/** Reads a type name: blanks around it, letter case and the Java package do not matter. */
export function findParameterType(name: string): ParameterType | undefined {
  const known = BY_NAME.get(name);
  if (known !== undefined) return known;
  const plain = name.trim().toLowerCase();
  return BY_NAME.get(plain.replace(/^java\.(?:lang|util|math)\./u, ''));
}

/**
 * The value of a parameter, undefined when it is not of the type. `json` is the JSON text of
 * `parsed`; null is a value of every type.
 */
export function convertParameter(
  type: ParameterType,
  parsed: Value,
  json: string,
): Value | undefined {
  if (parsed === null) return null;
  return type.convert(typeof parsed === 'string' ? parsed.trim() : json.trim(), parsed);
}

const INTEGER_TEXT = /^[+-]?[0-9]+$/u;
const NUMBER_TEXT = /^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/u;
/** Any number of so few digits fits in 32 bits. */
const SHORT_TEXT = 9;
/** More digits are refused: converting millions of them would block the event loop. */
const MAX_DIGITS = 1000;

/** A signed whole number of so many bits, or of any size. */
function toInteger(text: string, bits?: number): Value | undefined {
  if (!INTEGER_TEXT.test(text) || text.length > MAX_DIGITS) return undefined;
  if (text.length <= SHORT_TEXT && (bits ?? 64) >= 32) return Number(text) + 0;
  const digits = text.replace(/^\+/u, '');
  const value = BigInt(digits);
  if (bits !== undefined && BigInt.asIntN(bits, value) !== value) return undefined;
  return value === 0n ? 0 : parseInteger(digits);
}

function toDouble(text: string): Double | undefined {
  if (!NUMBER_TEXT.test(text)) return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? new Double(value) : undefined;
}

function toFloat(text: string): Float | undefined {
  const double = toDouble(text);
  if (double === undefined || !Number.isFinite(Math.fround(double.value))) return undefined;
  return new Float(double.value);
}

/** A double, unless an integer is so large that only a bigint represents it exactly. */
function toDecimal(text: string): Value | undefined {
  const exact = toInteger(text);
  return typeof exact === 'bigint' ? exact : toDouble(text);
}

function toChar(value: Value): Char | undefined {
  return typeof value === 'string' && value.length === 1 ? new Char(value) : undefined;
}

function toBoolean(text: string): boolean | undefined {
  const word = text.toLowerCase();
  return word === 'true' || word === 'false' ? word === 'true' : undefined;
}

const ISO_INSTANT =
  /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})?$/u;

/** Milliseconds since the epoch, the text of a DATE or TIMESTAMP literal, or ISO 8601. */
function toTemporal(text: string): Temporal | undefined {
  if (INTEGER_TEXT.test(text)) return toInstant(Number(text));
  const isInstant = ISO_INSTANT.test(text);
  return isInstant ? toInstant(Date.parse(text)) : (parseDate(text) ?? parseTimestamp(text));
}

function toInstant(epochMs: number): Temporal | undefined {
  // The comparison is false for the NaN of a text that is no date.
  return Math.abs(epochMs) <= MAX_EPOCH_MS ? new Temporal('instant', epochMs) : undefined;
}
