// Converts moments to calendar fields in a time zone and back, for truncating, adding and counting
// by days, months and years.

import { type CalendarFields, toEpochMs } from './temporal.ts';

export interface Calendar {
  fieldsOf(epochMs: number): CalendarFields;
  /** Fields beyond their range roll over. A time that a change of clocks skips moves ahead. */
  toEpochMs(fields: CalendarFields): number;
}

/** The calendar of the server's time zone. */
export const LOCAL_CALENDAR: Calendar = {
  fieldsOf(epochMs) {
    const date = new Date(epochMs);
    return {
      year: date.getFullYear(),
      month: date.getMonth() + 1,
      day: date.getDate(),
      hour: date.getHours(),
      minute: date.getMinutes(),
      second: date.getSeconds(),
      millisecond: date.getMilliseconds(),
    };
  },
  toEpochMs,
};

/** The calendar of a zone such as `Europe/Paris`, `UTC` or `+02:00`; undefined if there is none. */
export function openCalendar(zone: string): Calendar | undefined {
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      calendar: 'iso8601',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      era: 'short',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch {
    // A RangeError says that there is no such zone.
    return undefined;
  }
  return new ZoneCalendar(format);
}

class ZoneCalendar implements Calendar {
  readonly #format: Intl.DateTimeFormat;

  constructor(format: Intl.DateTimeFormat) {
    this.#format = format;
  }

  fieldsOf(epochMs: number): CalendarFields {
    const parts = new Map(
      this.#format.formatToParts(epochMs).map(({ type, value }) => [type, value]),
    );
    const number = (type: Intl.DateTimeFormatPartTypes): number => Number(parts.get(type) ?? 0);
    const year = parts.get('era')?.startsWith('B') === true ? 1 - number('year') : number('year');
    return {
      year,
      month: number('month'),
      day: number('day'),
      hour: number('hour'),
      minute: number('minute'),
      second: number('second'),
      millisecond: ((epochMs % 1000) + 1000) % 1000,
    };
  }

  toEpochMs(fields: CalendarFields): number {
    const wanted = utcMs(fields);
    // Finds the offset of the zone at that time by trying offsets of nearby times.
    const first = wanted - this.#offsetAt(wanted);
    const second = wanted - this.#offsetAt(first);
    return this.#wallAt(second) === wanted ? second : Math.max(first, second);
  }

  #wallAt(epochMs: number): number {
    return utcMs(this.fieldsOf(epochMs));
  }

  #offsetAt(epochMs: number): number {
    return this.#wallAt(epochMs) - epochMs;
  }
}

/** Milliseconds since the epoch of fields that are in UTC. */
export function utcMs(fields: CalendarFields): number {
  const { year, month, day, hour, minute, second, millisecond } = fields;
  const date = new Date(0);
  // Set separately, because Date.UTC maps the years 0 to 99 to 1900 to 1999.
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second, millisecond);
  return date.getTime();
}

/** Days of a month, which counts from 1. */
export function daysInMonth(year: number, month: number): number {
  // Day 0 of the next month is the last of this one.
  const last = new Date(0);
  last.setUTCFullYear(year, month, 0);
  return last.getUTCDate();
}
