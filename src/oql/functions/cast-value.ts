// CAST: converts a value to another type, or returns the reason why it cannot.

import { capitalize, describeValue } from '../../value/describe-value.ts';
import { parseIsoTemporal } from '../../value/iso-date.ts';
import { printText } from '../../value/json-print.ts';
import { parseInteger, toDouble, toInteger } from '../../value/number.ts';
import { MAX_EPOCH_MS, parseTime } from '../../value/temporal.ts';
import {
  Char,
  Double,
  Float,
  isAbsent,
  isInteger,
  isNumeric,
  kindOf,
  Temporal,
  type Value,
} from '../../value/value.ts';
import { domainFailure, type FunctionOutcome, textOf } from './function-definition.ts';

/** Undefined if the value cannot be converted. */
type Convert = (value: Value) => Value | undefined;

const CONVERSIONS: Readonly<Partial<Record<string, Convert>>> = {
  byte: (value) => toWhole(value, 8),
  short: (value) => toWhole(value, 16),
  int: (value) => toWhole(value, 32),
  integer: (value) => toWhole(value, 32),
  long: (value) => toWhole(value, 64),
  bigint: (value) => toWhole(value, undefined),
  biginteger: (value) => toWhole(value, undefined),
  float: (value) => toFraction(value, (number) => new Float(number)),
  double: (value) => toFraction(value, (number) => new Double(number)),
  decimal: toDecimal,
  bigdecimal: toDecimal,
  number: toNumber,
  string: toText,
  text: toText,
  varchar: toText,
  char: toChar,
  character: toChar,
  boolean: toBoolean,
  date: (value) => toTemporal(value, 'date'),
  time: (value) => toTemporal(value, 'time'),
  timestamp: (value) => toTemporal(value, 'timestamp'),
};

/** Null and missing values stay unchanged. */
export function castValue(value: Value, type: string): FunctionOutcome {
  if (isAbsent(value)) return value;
  const convert = CONVERSIONS[type.toLowerCase()];
  if (convert === undefined) {
    const types = Object.keys(CONVERSIONS).join(', ');
    return domainFailure(`${type} is no type for CAST; the types are ${types}`, 1);
  }
  const converted = convert(value);
  if (converted !== undefined) return converted;
  const what = typeof value === 'string' ? 'This text' : capitalize(describeValue(value));
  return domainFailure(`${what} cannot be converted to ${type}`, 0);
}

/** The time to read digits grows faster than their number, so it is bounded. */
const INTEGER_TEXT = /^\s*([+-]?\d{1,1000})\s*$/;
const NUMBER_TEXT = /^\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?\s*$/;

/** Truncates a fraction; undefined for a number out of range of the type. */
function toWhole(value: Value, bits: number | undefined): Value | undefined {
  const exact = wholeOf(value);
  if (exact === undefined) return undefined;
  if (bits !== undefined && BigInt.asIntN(bits, exact) !== exact) return undefined;
  return toInteger(exact);
}

function wholeOf(value: Value): bigint | undefined {
  if (typeof value === 'boolean') return value ? 1n : 0n;
  if (isNumeric(value)) {
    if (isInteger(value)) return BigInt(value);
    return Number.isFinite(value.value) ? BigInt(Math.trunc(value.value)) : undefined;
  }
  const digits = INTEGER_TEXT.exec(textOf(value) ?? '')?.[1];
  if (digits !== undefined) return BigInt(digits.replace('+', ''));
  const number = numberOf(value);
  return number === undefined ? undefined : BigInt(Math.trunc(number));
}

function toFraction(value: Value, make: (number: number) => Value): Value | undefined {
  const number = isNumeric(value) ? toDouble(value) : numberOf(value);
  return number === undefined ? undefined : make(number);
}

/** A double, or a whole number that doubles cannot hold, as a bind parameter of this type. */
function toDecimal(value: Value): Value | undefined {
  const number = toNumber(value);
  if (typeof number === 'bigint') return number;
  return toFraction(value, (double) => new Double(double));
}

/** An integer if the text is one, else a double. */
function toNumber(value: Value): Value | undefined {
  if (isNumeric(value)) return value;
  const digits = INTEGER_TEXT.exec(textOf(value) ?? '')?.[1];
  if (digits !== undefined) return parseInteger(digits.replace('+', ''));
  return toFraction(value, (number) => new Double(number));
}

function numberOf(value: Value): number | undefined {
  if (typeof value === 'boolean') return value ? 1 : 0;
  const text = textOf(value);
  if (text === undefined || !NUMBER_TEXT.test(text)) return undefined;
  const number = Number(text);
  return Number.isFinite(number) ? number : undefined;
}

function toChar(value: Value): Value | undefined {
  const text = toText(value);
  return text?.length === 1 ? new Char(text) : undefined;
}

const PRINTABLE: ReadonlySet<string> = new Set(['string', 'char', 'number', 'boolean', 'temporal']);

/** The text of a scalar: a text, a number, a boolean or a date. */
export function toText(value: Value): string | undefined {
  return PRINTABLE.has(kindOf(value)) ? printText(value) : undefined;
}

function toBoolean(value: Value): boolean | undefined {
  if (typeof value === 'boolean') return value;
  if (isNumeric(value)) return toDouble(value) !== 0;
  const word = textOf(value)?.trim().toLowerCase();
  return word === 'true' || word === 'false' ? word === 'true' : undefined;
}

/** A number counts milliseconds since 1970; a date loses its time of day, and a time its date. */
function toTemporal(value: Value, kind: 'date' | 'time' | 'timestamp'): Temporal | undefined {
  const temporal = temporalOf(value, kind);
  if (temporal === undefined || kind === 'timestamp') {
    return temporal && new Temporal(kind, temporal.epochMs, temporal.nanos);
  }
  const date = new Date(temporal.epochMs);
  if (kind === 'date') date.setHours(0, 0, 0, 0);
  else date.setFullYear(1970, 0, 1);
  return new Temporal(kind, date.getTime(), kind === 'date' ? 0 : temporal.nanos);
}

function temporalOf(value: Value, kind: string): Temporal | undefined {
  if (value instanceof Temporal) return value;
  if (isNumeric(value)) {
    const epochMs = Math.trunc(toDouble(value));
    return Math.abs(epochMs) <= MAX_EPOCH_MS ? new Temporal('timestamp', epochMs) : undefined;
  }
  const text = textOf(value)?.trim() ?? '';
  return (kind === 'time' ? parseTime(text) : undefined) ?? parseIsoTemporal(text);
}
