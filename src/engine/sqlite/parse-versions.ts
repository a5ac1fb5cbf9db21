// The versions of many entries as SQLite puts them together: digits between
// commas. Reading them so takes a third of the time of cutting the text first.

const COMMA = 0x2c;
const ZERO = 0x30;

/** NaN stands for what is no row of digits. */
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
