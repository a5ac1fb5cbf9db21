// Temporal values from and to text, in the time zone of the server.

import { Temporal } from './value.ts';

/** Calendar fields of a moment in some time zone; `month` counts from 1. */
export interface CalendarFields {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly millisecond: number;
}

/** The range of a JavaScript date, in milliseconds around the epoch. */
export const MAX_EPOCH_MS = 8.64e15;

/** Milliseconds since the epoch of fields in local time. Fields beyond their range roll over. */
export function toEpochMs(fields: CalendarFields): number {
  const date = new Date(2000, 0, 1);
  // Set separately, because the constructor maps the years 0 to 99 to 1900 to 1999.
  date.setFullYear(fields.year, fields.month - 1, fields.day);
  date.setHours(fields.hour, fields.minute, fields.second, fields.millisecond);
  return date.getTime();
}

const DATE_TEXT = /^(\d{4})-(\d{1,2})-(\d{1,2})$/;
const TIME_TEXT = /^(\d{1,2}):(\d{1,2}):(\d{1,2})$/;
const TIMESTAMP_TEXT =
  /^(\d{4})-(\d{1,2})-(\d{1,2}) (\d{1,2}):(\d{1,2}):(\d{1,2})(?:\.(\d{1,9}))?$/;

/** `yyyy-mm-dd`; undefined for any other text or a field out of range. */
export function parseDate(text: string): Temporal | undefined {
  const match = DATE_TEXT.exec(text);
  return match === null ? undefined : fromFields('date', match.slice(1, 4), [], '');
}

/** `hh:mm:ss`, on the first day of the epoch; undefined for any other text. */
export function parseTime(text: string): Temporal | undefined {
  const match = TIME_TEXT.exec(text);
  return match === null ? undefined : fromFields('time', ['1970', '1', '1'], match.slice(1, 4), '');
}

/** `yyyy-mm-dd hh:mm:ss` with up to nine digits of a second; undefined for any other text. */
export function parseTimestamp(text: string): Temporal | undefined {
  const match = TIMESTAMP_TEXT.exec(text);
  if (match === null) return undefined;
  return fromFields('timestamp', match.slice(1, 4), match.slice(4, 7), match[7] ?? '');
}

function fromFields(
  kind: 'date' | 'time' | 'timestamp',
  dateParts: readonly string[],
  timeParts: readonly string[],
  fraction: string,
): Temporal | undefined {
  const [year = 0, month = 0, day = 0] = dateParts.map(Number);
  const [hour = 0, minute = 0, second = 0] = timeParts.map(Number);
  const isDate = month >= 1 && month <= 12 && day >= 1 && day <= 31;
  if (!isDate || hour > 23 || minute > 59 || second > 59) return undefined;
  const nanos = Number(fraction.padEnd(9, '0'));
  const millisecond = Math.trunc(nanos / 1_000_000);
  return new Temporal(
    kind,
    toEpochMs({ year, month, day, hour, minute, second, millisecond }),
    nanos,
  );
}

/** The text of a literal of the same kind; an instant prints as a timestamp. */
export function printTemporal(value: Temporal): string {
  const date = new Date(value.epochMs);
  const day = `${pad(date.getFullYear(), 4)}-${pad(date.getMonth() + 1, 2)}-${pad(date.getDate(), 2)}`;
  const time = `${pad(date.getHours(), 2)}:${pad(date.getMinutes(), 2)}:${pad(date.getSeconds(), 2)}`;
  if (value.kind === 'date') return day;
  if (value.kind === 'time') return time;
  const fraction = String(value.nanos)
    .padStart(9, '0')
    .replace(/0{1,8}$/, '');
  return `${day} ${time}.${fraction}`;
}

function pad(value: number, width: number): string {
  return String(value).padStart(width, '0');
}
