// Parses the versions of many entries, concatenated by SQLite as digits between commas. One pass
// takes a third of the time of splitting the text first.

const COMMA = 0x2c;
const ZERO = 0x30;

/** NaN for an element that is not a sequence of digits. */
export function parseVersions(text: string): readonly number[] {
  const versions: number[] = [];
  let start = 0;
  let version = 0;
  for (let i = 0; i <= text.length; i++) {
    const code = i === text.length ? COMMA : text.charCodeAt(i);
    const digit = code - ZERO;
    if (code === COMMA) {
      versions.push(i === start ? Number.NaN : version);
      version = 0;
      start = i + 1;
    } else version = digit >= 0 && digit <= 9 ? version * 10 + digit : Number.NaN;
  }
  return versions;
}
