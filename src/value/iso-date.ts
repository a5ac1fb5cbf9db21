// Parses ISO 8601 dates, the usual form in JSON documents.

import { daysInMonth, utcMs } from './calendar.ts';
import { toEpochMs } from './temporal.ts';
import { Temporal } from './value.ts';

const ISO_TEXT =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(Z|[+-]\d{2}(?::?\d{2})?)?)?$/;

const RFC_3339 = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** Milliseconds since 1970 of an RFC 3339 time; undefined for any other text. */
export function parseRfc3339(text: string): number | undefined {
  const time = text.toUpperCase();
  if (!RFC_3339.test(time)) return undefined;
  return parseIsoTemporal(time.replace(/(\.\d{9})\d+/, '$1'))?.epochMs;
}

/**
 * The date of a text: `2024-02-29` is a date, `2024-02-29T12:30:00.5+02:00` a timestamp. Without an
 * offset it is in the time zone of the server. Undefined for any other text, and for a day that
 * does not exist.
 */
export function parseIsoTemporal(text: string): Temporal | undefined {
  const match = ISO_TEXT.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '', zone] = match;
  const nanos = Number(fraction.padEnd(9, '0'));
  const fields = {
    year: Number(year),
    month: Number(month),
    day: Number(day),
    hour: Number(hour),
    minute: Number(minute),
    second: Number(second),
    millisecond: Math.trunc(nanos / 1_000_000),
  };
  const isDay =
    fields.month >= 1 &&
    fields.month <= 12 &&
    fields.day >= 1 &&
    fields.day <= daysInMonth(fields.year, fields.month);
  if (!isDay || fields.hour > 23 || fields.minute > 59 || fields.second > 59) return undefined;
  const kind = match[4] === undefined ? 'date' : 'timestamp';
  const epochMs = zone === undefined ? toEpochMs(fields) : utcMs(fields) - offsetMs(zone);
  return new Temporal(kind, epochMs, nanos);
}

function offsetMs(zone: string): number {
  if (zone === 'Z') return 0;
  const digits = zone.replace(/\D/g, '').padEnd(4, '0');
  const minutes = Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2));
  return (zone.startsWith('-') ? -minutes : minutes) * 60_000;
}
