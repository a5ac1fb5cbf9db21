// Spans of time as clients write them: seconds, or an ISO 8601 duration. A month counts as 30 days
// and a year as 365, because a duration has no start date.

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** A thousand years: any moment that far from now can be written as a date. */
export const MAX_DURATION_MS: number = 365_250 * DAY_MS;

const SHAPE = /^P(?=[\dT])((?:\d+(?:[.,]\d+)?[YMWD])*)(?:T((?:\d+(?:[.,]\d+)?[HMS])+))?$/;
const PART = /(\d+(?:[.,]\d+)?)([A-Z])/g;
const DATE_UNITS = { Y: 365 * DAY_MS, M: 30 * DAY_MS, W: 7 * DAY_MS, D: DAY_MS };
const TIME_UNITS = { H: HOUR_MS, M: MINUTE_MS, S: SECOND_MS };

/**
 * Milliseconds of `90`, `90.5` (seconds) or `PT1M30S`; undefined for any other text, and for a
 * span that is not positive or longer than `MAX_DURATION_MS`.
 */
export function parseDuration(text: string): number | undefined {
  const ms = /^\d{1,15}(?:\.\d{1,9})?$/.test(text) ? Number(text) * SECOND_MS : parseIso(text);
  if (ms === undefined) return undefined;
  const whole = Math.round(ms);
  return whole >= 1 && whole <= MAX_DURATION_MS ? whole : undefined;
}

/** ISO 8601, in hours, minutes and seconds: `PT24H`, `PT1M30S`. */
export function printDuration(ms: number): string {
  const hours = Math.floor(ms / HOUR_MS);
  const minutes = Math.floor((ms % HOUR_MS) / MINUTE_MS);
  const seconds = (ms % MINUTE_MS) / SECOND_MS;
  const parts = [
    hours > 0 ? `${hours}H` : '',
    minutes > 0 ? `${minutes}M` : '',
    seconds > 0 ? `${seconds}S` : '',
  ].join('');
  return `PT${parts === '' ? '0S' : parts}`;
}

function parseIso(text: string): number | undefined {
  const shape = SHAPE.exec(text);
  if (shape === null) return undefined;
  const date = addParts(shape[1] ?? '', DATE_UNITS);
  const time = addParts(shape[2] ?? '', TIME_UNITS);
  if (date === undefined || time === undefined) return undefined;
  // Only the smallest part may have a fraction.
  const fraction = text.search(/[.,]/);
  const isLast = fraction < 0 || /^[.,]\d+[A-Z]$/.test(text.slice(fraction));
  return isLast ? date + time : undefined;
}

/** Undefined when units repeat or are not in ISO order. */
function addParts(parts: string, units: Readonly<Record<string, number>>): number | undefined {
  const order = Object.keys(units);
  let sum = 0;
  let last = -1;
  for (const [, amount = '', unit = ''] of parts.matchAll(PART)) {
    const at = order.indexOf(unit);
    if (at <= last) return undefined;
    last = at;
    sum += Number(amount.replace(',', '.')) * (units[unit] ?? 0);
  }
  return sum;
}
