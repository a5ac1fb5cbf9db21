// Parses a text by a pattern for TO_DATE, like Java's SimpleDateFormat: lenient, in the time zone
// of the server, English names. Fields out of range roll over, text after the last field is
// ignored. Two-digit years lie within 80 years before and 20 years after the time of the query.

import { type CalendarFields, toEpochMs } from '../../value/temporal.ts';
import { Temporal } from '../../value/value.ts';

export type DatePattern = readonly PatternPart[];

/** The date in a text, undefined if it does not match; two-digit years are near `nowMs`. */
export function parseDateByPattern(
  text: string,
  parts: DatePattern,
  nowMs: number,
): Temporal | undefined {
  const reading = new DateReading(text, nowMs);
  for (const [index, part] of parts.entries()) {
    if (!reading.read(part, parts[index + 1])) return undefined;
  }
  return reading.toTemporal();
}

type PatternPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'field'; readonly letter: string; readonly width: number };

const FIELD_LETTERS = 'yMdDHhKkmsSaEuXZz';

/**
 * Letters form fields, `'…'` quotes literal text (`''` a quote), the rest is literal. Undefined for
 * an invalid pattern.
 */
export function parseDatePattern(pattern: string): DatePattern | undefined {
  const parts: PatternPart[] = [];
  // An unclosed quote matches as a lone quote, which is not a valid part.
  for (const [piece] of pattern.matchAll(/([A-Za-z])\1*|'(?:[^']|'')*'|'|[^A-Za-z']+/g)) {
    const part = parsePart(piece);
    if (part === undefined) return undefined;
    parts.push(part);
  }
  return parts;
}

/** Undefined for an unknown letter and for an unclosed quote. */
function parsePart(piece: string): PatternPart | undefined {
  const first = piece[0] ?? '';
  if (/[A-Za-z]/.test(first)) {
    const isKnown = FIELD_LETTERS.includes(first);
    return isKnown ? { kind: 'field', letter: first, width: piece.length } : undefined;
  }
  if (first !== "'") return { kind: 'text', text: piece };
  if (piece === "'") return undefined;
  return { kind: 'text', text: piece === "''" ? "'" : piece.slice(1, -1).replaceAll("''", "'") };
}

const MONTHS =
  'january february march april may june july august september october november december';
const DAYS = 'sunday monday tuesday wednesday thursday friday saturday';
const LONGEST_NAME = 'wednesday'.length;

const NUMBER_FIELDS: Readonly<Partial<Record<string, Exclude<keyof CalendarFields, 'hour'>>>> = {
  y: 'year',
  M: 'month',
  d: 'day',
  D: 'day',
  m: 'minute',
  s: 'second',
  S: 'millisecond',
};

/** The fields found so far and the current position in the text. */
class DateReading {
  readonly #text: string;
  readonly #nowMs: number;
  #at = 0;
  readonly #fields = {
    year: 1970,
    month: 1,
    day: 1,
    hour: 0,
    minute: 0,
    second: 0,
    millisecond: 0,
  };
  /** Whether the year was given by two digits. */
  #isShortYear = false;
  #isAfternoon: boolean | undefined;
  #zoneMinutes: number | undefined;

  constructor(text: string, nowMs: number) {
    this.#text = text;
    this.#nowMs = nowMs;
  }

  read(part: PatternPart, next: PatternPart | undefined): boolean {
    if (part.kind === 'text') {
      if (!this.#text.startsWith(part.text, this.#at)) return false;
      this.#at += part.text.length;
      return true;
    }
    while (this.#text[this.#at] === ' ' || this.#text[this.#at] === '\t') this.#at += 1;
    if (!isNumberField(part)) return this.#readName(part.letter);
    // Adjacent fields split a run of digits by their widths; a single field takes them all.
    const touchesNext = next?.kind === 'field' && isNumberField(next);
    const digits = this.#take(touchesNext ? new RegExp(`\\d{1,${part.width}}`, 'y') : /\d+/y);
    if (digits === undefined) return false;
    this.#store(part, digits);
    return true;
  }

  toTemporal(): Temporal | undefined {
    const { year } = this.#fields;
    let { hour } = this.#fields;
    if (this.#isAfternoon !== undefined) hour = (hour % 12) + (this.#isAfternoon ? 12 : 0);
    const inYear = (each: number): number => toEpochMs({ ...this.#fields, year: each, hour });
    let epochMs = inYear(year);
    if (this.#isShortYear) {
      const [first, last] = this.#window();
      const century = Math.floor(new Date(first).getFullYear() / 100) * 100;
      epochMs = inYear(century + year);
      if (epochMs < first) epochMs = inYear(century + 100 + year);
      else if (epochMs >= last) epochMs = inYear(century - 100 + year);
    }
    if (this.#zoneMinutes !== undefined) {
      const localMinutes = -new Date(epochMs).getTimezoneOffset();
      epochMs += (localMinutes - this.#zoneMinutes) * 60_000;
    }
    return Number.isNaN(epochMs) ? undefined : new Temporal('instant', epochMs);
  }

  /** A hundred years that begin 80 years before the time of the query. */
  #window(): readonly [first: number, last: number] {
    const first = new Date(this.#nowMs);
    first.setFullYear(first.getFullYear() - 80);
    const last = new Date(first);
    last.setFullYear(last.getFullYear() + 100);
    return [first.getTime(), last.getTime()];
  }

  #store({ letter, width }: PatternPart & { kind: 'field' }, digits: string): void {
    const value = Number(digits);
    const field = NUMBER_FIELDS[letter];
    if (field !== undefined) this.#fields[field] = value;
    else this.#storeHour(letter, value);
    if (letter === 'y') this.#isShortYear = width <= 2 && digits.length === 2;
    // The day of a year counts from its first month.
    if (letter === 'D') this.#fields.month = 1;
  }

  /** `H` counts 0–23, `k` 1–24, `K` 0–11 and `h` 1–12; the latter two wait for `a`. */
  #storeHour(letter: string, value: number): void {
    // The number of the weekday says nothing that the date does not.
    if (letter === 'u') return;
    const isTwelveHours = letter === 'K' || letter === 'h';
    this.#fields.hour =
      (letter === 'k' && value === 24) || (letter === 'h' && value === 12) ? 0 : value;
    if (isTwelveHours) this.#isAfternoon ??= false;
  }

  #readName(letter: string): boolean {
    switch (letter) {
      case 'M': {
        const month = this.#takeName(MONTHS);
        this.#fields.month = month + 1;
        return month >= 0;
      }
      case 'E':
        return this.#takeName(DAYS) >= 0;
      case 'a': {
        const half = this.#take(/[ap]m/iy);
        this.#isAfternoon = half?.toLowerCase() === 'pm';
        return half !== undefined;
      }
      default:
        return this.#readZone();
    }
  }

  #readZone(): boolean {
    const zone = this.#take(/(?:GMT|UTC|Z)?(?:[+-]\d{1,2}:?(?:\d{2})?)?/iy);
    if (zone === undefined || zone === '') return false;
    const offset = /([+-])(\d{1,2}):?(\d{2})?$/.exec(zone);
    const minutes = Number(offset?.[2] ?? 0) * 60 + Number(offset?.[3] ?? 0);
    this.#zoneMinutes = offset?.[1] === '-' ? -minutes : minutes;
    return true;
  }

  /** Index of the name found here, in full or by its first three letters; -1 if there is none. */
  #takeName(names: string): number {
    const text = this.#text.slice(this.#at, this.#at + LONGEST_NAME).toLowerCase();
    const all = names.split(' ');
    const index = all.findIndex((name) => text.startsWith(name.slice(0, 3)));
    const name = all[index] ?? '';
    this.#at += text.startsWith(name) ? name.length : 3;
    return index;
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text)?.[0];
    this.#at += match?.length ?? 0;
    return match;
  }
}

function isNumberField(field: PatternPart & { kind: 'field' }): boolean {
  return field.letter === 'M' ? field.width <= 2 : !'aEXZz'.includes(field.letter);
}
