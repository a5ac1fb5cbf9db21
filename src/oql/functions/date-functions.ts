// Functions of dates. A text in ISO 8601 form is accepted as a date. Days, months and years are
// those of the server's time zone, or of the zone named by a last argument.

import {
  type Calendar,
  daysInMonth,
  LOCAL_CALENDAR,
  openCalendar,
  utcMs,
} from '../../value/calendar.ts';
import { describeValue } from '../../value/describe-value.ts';
import { parseIsoTemporal } from '../../value/iso-date.ts';
import { type CalendarFields, MAX_EPOCH_MS } from '../../value/temporal.ts';
import { Double, isAbsent, Temporal, type Value } from '../../value/value.ts';
import {
  define,
  defineOpened,
  domainFailure,
  type FunctionDefinition,
  FunctionFailure,
  type FunctionOutcome,
} from './function-definition.ts';
import { type DatePattern, parseDateByPattern, parseDatePattern } from './parse-date.ts';

export const DATE_FUNCTIONS: readonly FunctionDefinition[] = [
  define('NOW', ['date'], (queryTime) => queryTime, { takesQueryTime: true }),
  define('CURRENT_TIMESTAMP', ['date'], (queryTime) => queryTime, { takesQueryTime: true }),
  defineOpened(
    'CURRENT_DATE',
    ['date', 'text?'],
    () => {
      const calendarOf = calendarFinder();
      return (queryTime, zone) => {
        const calendar = calendarOf(zone, 1);
        if (calendar instanceof FunctionFailure) return calendar;
        return withKind(truncate(queryTime.epochMs, 'day', calendar), 'date');
      };
    },
    { takesQueryTime: true },
  ),
  defineOpened('TO_DATE', ['date', 'any', 'any?'], openToDate, {
    takesQueryTime: true,
    readsQueryTime: mayHaveShortYears,
  }),
  defineOpened('EXTRACT', ['text', 'date', 'text?'], openExtract),
  ...['YEAR', 'QUARTER', 'MONTH', 'DAY', 'HOUR', 'MINUTE', 'SECOND'].map((name) =>
    defineOpened(name, ['date', 'text?'], () => {
      const extract = openExtract();
      return (date, zone) => extract(name, date, zone);
    }),
  ),
  defineOpened('DATE_TRUNC', ['text', 'date', 'text?'], () => {
    const calendarOf = calendarFinder();
    return (name, date, zone) => {
      const unit = toUnit(name);
      if (unit === undefined) return unknownUnit(name, 0);
      const calendar = calendarOf(zone, 2);
      if (calendar instanceof FunctionFailure) return calendar;
      return withKind(truncate(date.epochMs, unit, calendar), date.kind);
    };
  }),
  defineOpened('DATE_ADD', ['date', 'integer', 'text', 'text?'], () => openAdd(1)),
  defineOpened('DATE_SUB', ['date', 'integer', 'text', 'text?'], () => openAdd(-1)),
  defineOpened('DATE_DIFF', ['text', 'date', 'date', 'text?'], () => {
    const calendarOf = calendarFinder();
    return (name, from, to, zone) => {
      const unit = toUnit(name);
      if (unit === undefined) return unknownUnit(name, 0);
      const calendar = calendarOf(zone, 3);
      if (calendar instanceof FunctionFailure) return calendar;
      return wholeUnits(from.epochMs, to.epochMs, unit, calendar);
    };
  }),
  define('INTERVAL', ['any', 'text'], interval),
];

/** Units are equally long everywhere, or counted in days or months of the calendar. */
interface UnitLength {
  readonly ms?: number;
  readonly days?: number;
  readonly months?: number;
}

const UNITS = {
  year: { months: 12 },
  quarter: { months: 3 },
  month: { months: 1 },
  week: { days: 7 },
  day: { days: 1 },
  hour: { ms: 3_600_000 },
  minute: { ms: 60_000 },
  second: { ms: 1000 },
  millisecond: { ms: 1 },
} as const satisfies Readonly<Record<string, UnitLength>>;

type Unit = keyof typeof UNITS;

const UNIT_NAMES = Object.keys(UNITS);
const DAY_MS = 86_400_000;

/** A unit in any letter case, one or many: `day`, `DAYS`. */
function toUnit(name: string): Unit | undefined {
  const lower = name.trim().toLowerCase();
  const unit = UNIT_NAMES.find((each) => each === lower || `${each}s` === lower);
  // It is one of the names.
  return unit as Unit | undefined;
}

function unknownUnit(name: string, argument: number): FunctionFailure {
  return domainFailure(
    `${name} is no unit of time; the units are ${UNIT_NAMES.join(', ')}`,
    argument,
  );
}

/** Finds the calendar of a zone, and caches the last one: most calls in a query have one zone. */
function calendarFinder(): (
  zone: string | undefined,
  argument: number,
) => Calendar | FunctionFailure {
  let lastZone: string | undefined;
  let calendar: Calendar | undefined = LOCAL_CALENDAR;
  return (zone, argument) => {
    if (zone !== lastZone) {
      calendar = zone === undefined ? LOCAL_CALENDAR : openCalendar(zone);
      lastZone = zone;
    }
    return calendar ?? domainFailure(`There is no time zone ${zone}`, argument);
  };
}

/** `TO_DATE(text, format)`; without a format, a text in the form of ISO 8601. */
function openToDate(): (queryTime: Temporal, text: Value, format?: Value) => FunctionOutcome {
  // The last format is cached, because most calls of a query have the same.
  let lastFormat: string | undefined;
  let pattern: DatePattern | undefined;
  return (queryTime, value, format) => {
    if (isAbsent(value) || value instanceof Temporal) return value;
    if (typeof value !== 'string') {
      return badDate(`TO_DATE takes a string, not ${describeValue(value)}`);
    }
    if (format === undefined) {
      return parseIsoTemporal(value) ?? badDate('The text is no date in the form of ISO 8601');
    }
    if (typeof format !== 'string') return badDate('The format of TO_DATE is a string', 2);
    if (format !== lastFormat) {
      pattern = parseDatePattern(format);
      lastFormat = format;
    }
    if (pattern === undefined) return badDate(`'${format}' is not a date format`, 2);
    const date = parseDateByPattern(value, pattern, queryTime.epochMs);
    return date ?? badDate(`The text does not follow '${format}'`);
  };
}

/** Only years of two digits, y or yy in a format, depend on the time. */
function mayHaveShortYears(literals: readonly (Value | undefined)[]): boolean {
  if (literals.length < 2) return false;
  const [, format] = literals;
  return typeof format !== 'string' || /(?<!y)yy?(?!y)/u.test(format);
}

function badDate(reason: string, argument = 1): FunctionFailure {
  return new FunctionFailure('date', reason, argument);
}

type Field = (date: Temporal, fields: CalendarFields) => Value;

/** The fields of EXTRACT. */
const FIELDS: Readonly<Partial<Record<string, Field>>> = {
  year: (_, { year }) => year,
  quarter: (_, { month }) => Math.ceil(month / 3),
  month: (_, { month }) => month,
  week: (_, fields) => weekOf(fields),
  day: (_, { day }) => day,
  hour: (_, { hour }) => hour,
  minute: (_, { minute }) => minute,
  second: (_, { second }) => second,
  millisecond: (_, { millisecond }) => millisecond,
  nanosecond: ({ nanos }) => nanos,
  dow: (_, fields) => weekdayOf(fields) % 7,
  isodow: (_, fields) => weekdayOf(fields),
  doy: (_, fields) => dayOfYear(fields),
  epoch: ({ epochMs }) => (epochMs % 1000 === 0 ? epochMs / 1000 : new Double(epochMs / 1000)),
};

function openExtract(): (
  field: string,
  date: Temporal,
  zone: string | undefined,
) => FunctionOutcome {
  const calendarOf = calendarFinder();
  return (name, date, zone) => {
    const field = FIELDS[name.trim().toLowerCase()];
    if (field === undefined) {
      const parts = Object.keys(FIELDS).join(', ');
      return domainFailure(`${name} is no part of a date; the parts are ${parts}`, 0);
    }
    const calendar = calendarOf(zone, 2);
    if (calendar instanceof FunctionFailure) return calendar;
    return field(date, calendar.fieldsOf(date.epochMs));
  };
}

/** Monday is 1, Sunday 7. */
function weekdayOf(fields: CalendarFields): number {
  return new Date(startOfDay(fields)).getUTCDay() || 7;
}

function dayOfYear(fields: CalendarFields): number {
  const first = startOfDay({ ...fields, month: 1, day: 1 });
  return Math.round((startOfDay(fields) - first) / DAY_MS) + 1;
}

/** The number of the week by ISO 8601: that of its Thursday. */
function weekOf(fields: CalendarFields): number {
  const thursday = new Date(startOfDay(fields) + (4 - weekdayOf(fields)) * DAY_MS);
  const first = new Date(0);
  first.setUTCFullYear(thursday.getUTCFullYear(), 0, 1);
  return Math.floor((thursday.getTime() - first.getTime()) / DAY_MS / 7) + 1;
}

function startOfDay(fields: CalendarFields): number {
  return utcMs({ ...fields, hour: 0, minute: 0, second: 0, millisecond: 0 });
}

const START = { month: 1, day: 1, hour: 0, minute: 0, second: 0, millisecond: 0 } as const;

function truncate(epochMs: number, unit: Unit, calendar: Calendar): number {
  const fields = calendar.fieldsOf(epochMs);
  const { year, month, day, minute, second } = fields;
  switch (unit) {
    case 'year':
      return calendar.toEpochMs({ ...START, year });
    case 'quarter':
      return calendar.toEpochMs({ ...START, year, month: month - ((month - 1) % 3) });
    case 'month':
      return calendar.toEpochMs({ ...START, year, month });
    case 'week':
      return calendar.toEpochMs({ ...START, year, month, day: day + 1 - weekdayOf(fields) });
    case 'day':
      return calendar.toEpochMs({ ...START, year, month, day });
    case 'hour':
      return epochMs - (minute * 60_000 + second * 1000 + fields.millisecond);
    case 'minute':
      return epochMs - (second * 1000 + fields.millisecond);
    case 'second':
      return epochMs - fields.millisecond;
    case 'millisecond':
      return epochMs;
  }
}

function withKind(epochMs: number, kind: Temporal['kind']): Temporal {
  return new Temporal(kind === 'instant' ? 'timestamp' : kind, epochMs);
}

function openAdd(
  sign: 1 | -1,
): (date: Temporal, amount: number, unit: string, zone: string | undefined) => FunctionOutcome {
  const calendarOf = calendarFinder();
  return (date, amount, name, zone) => {
    const unit = toUnit(name);
    if (unit === undefined) return unknownUnit(name, 2);
    const calendar = calendarOf(zone, 3);
    if (calendar instanceof FunctionFailure) return calendar;
    const epochMs = add(date.epochMs, sign * amount, unit, calendar);
    if (!(Math.abs(epochMs) <= MAX_EPOCH_MS)) return domainFailure('The date is out of range', 1);
    const gainsTime = date.kind === 'date' && 'ms' in UNITS[unit];
    const nanosInMs = date.nanos % 1_000_000;
    const nanos = (((epochMs % 1000) + 1000) % 1000) * 1_000_000 + nanosInMs;
    return new Temporal(
      gainsTime || date.kind === 'instant' ? 'timestamp' : date.kind,
      epochMs,
      nanos,
    );
  };
}

/** A day of a month that has fewer becomes its last: a month after 31 January is 28 February. */
function add(epochMs: number, amount: number, unit: Unit, calendar: Calendar): number {
  const { ms, days, months: unitMonths = 1 }: UnitLength = UNITS[unit];
  if (ms !== undefined) return epochMs + amount * ms;
  const fields = calendar.fieldsOf(epochMs);
  if (days !== undefined) return calendar.toEpochMs({ ...fields, day: fields.day + amount * days });
  const months = fields.year * 12 + fields.month - 1 + amount * unitMonths;
  const year = Math.floor(months / 12);
  const month = months - year * 12 + 1;
  return calendar.toEpochMs({
    ...fields,
    year,
    month,
    day: Math.min(fields.day, daysInMonth(year, month)),
  });
}

/** How many whole units fit between two moments; negative when the second is earlier. */
function wholeUnits(from: number, to: number, unit: Unit, calendar: Calendar): number {
  const { ms, days = 0, months = 0 }: UnitLength = UNITS[unit];
  // Adding 0 turns -0 into 0.
  if (ms !== undefined) return Math.trunc((to - from) / ms) + 0;
  const sign = to < from ? -1 : 1;
  // An upper bound, also of a day in which clocks are changed: the estimate is never too high.
  const longestMs = (months * 31 + days + 1) * DAY_MS;
  const count = countUnits(
    (units) => (to - add(from, sign * units, unit, calendar)) * sign >= 0,
    Math.abs(to - from) / longestMs,
  );
  return sign * count + 0;
}

/** The greatest count that fits: doubled from an estimate, then narrowed. */
function countUnits(fits: (count: number) => boolean, estimate: number): number {
  let low = Math.floor(estimate);
  let high = Math.max(1, low * 2 + 2);
  while (fits(high)) {
    low = high;
    high *= 2;
  }
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle;
  }
  return low;
}

/**
 * `INTERVAL '3' DAY` as a value: milliseconds, the unit of the difference of two dates. Added to a
 * date it counts in its own unit instead.
 */
function interval(amount: Value, name: string): FunctionOutcome {
  if (isAbsent(amount)) return amount;
  const count = typeof amount === 'string' ? toCount(amount) : amount;
  if (typeof count !== 'number') {
    return new FunctionFailure('type', 'An INTERVAL takes a whole number', 0);
  }
  const unit = toUnit(name);
  if (unit === undefined) return unknownUnit(name, 1);
  const { ms, days = 0, months }: UnitLength = UNITS[unit];
  return months === undefined
    ? count * (ms ?? days * DAY_MS)
    : domainFailure(`An interval of a ${unit} has no length of its own; add it to a date`, 1);
}

function toCount(text: string): number | undefined {
  return /^\s*[+-]?\d{1,15}\s*$/.test(text) ? Number(text) : undefined;
}
