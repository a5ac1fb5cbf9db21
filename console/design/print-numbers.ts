// Prints numbers, sizes and times in the user's locale.

const whole = new Intl.NumberFormat(undefined, { maximumFractionDigits: 0 });
const tenths = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });
const compact = new Intl.NumberFormat(undefined, {
  notation: 'compact',
  maximumFractionDigits: 1,
});
const dateTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

const SIZES = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

export function printCount(count: number): string {
  return whole.format(count);
}

/** `1 row`, `2,000 rows`. */
export function printAmount(count: number, one: string, many: string): string {
  return `${printCount(count)} ${count === 1 ? one : many}`;
}

/** `12.3K`, for narrow columns. */
export function printCompact(count: number): string {
  return compact.format(count);
}

/** The marks of an axis, with all digits that tell them apart: `1,250`, `0.25`, `12.5K`. */
export function printScale(marks: readonly number[]): readonly string[] {
  const most = Math.max(...marks.map(Math.abs)) || 1;
  const step = Math.abs((marks[1] ?? 0) - (marks[0] ?? 0)) || most;
  const digits = Math.floor(Math.log10(most)) - Math.floor(Math.log10(step)) + 2;
  const format = new Intl.NumberFormat(undefined, {
    notation: most < 10_000 ? 'standard' : 'compact',
    maximumSignificantDigits: Math.min(15, Math.max(1, digits)),
  });
  return marks.map((mark) => format.format(mark));
}

export function printBytes(bytes: number): string {
  let size = bytes;
  let step = 0;
  while (size >= 1024 && step < SIZES.length - 1) {
    size /= 1024;
    step += 1;
  }
  return `${size < 10 && step > 0 ? tenths.format(size) : whole.format(size)} ${SIZES[step]}`;
}

/** Rates of any size: `0`, `0.4`, `12`, `1,204`. */
export function printRate(perSecond: number): string {
  return perSecond < 10 ? tenths.format(perSecond) : whole.format(perSecond);
}

export function printDuration(seconds: number): string {
  if (seconds === 0) return '0';
  if (seconds < 0.001) return `${whole.format(seconds * 1e6)} µs`;
  if (seconds < 1) {
    const ms = seconds * 1000;
    return `${(ms < 10 ? tenths : whole).format(ms)} ms`;
  }
  return `${tenths.format(seconds)} s`;
}

export function printTime(time: Date): string {
  return dateTime.format(time);
}
