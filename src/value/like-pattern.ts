// The meaning of the characters of a LIKE pattern.

/** Pattern elements that are not code points: any one character, and any run of them. */
export const ANY_ONE = -1;
export const ANY_RUN = -2;

/**
 * A pattern as code points, ANY_ONE and ANY_RUN, no two ANY_RUN side by side. `%` stands for any run
 * of characters, `_` for any one (a surrogate pair is one character). A backslash makes the next
 * character literal; at the end of the pattern it stands for itself.
 */
export function parseLike(pattern: string): readonly number[] {
  const elements: number[] = [];
  const characters = toCodePoints(pattern);
  for (let at = 0; at < characters.length; at += 1) {
    const character = characters[at] ?? 0;
    if (character === BACKSLASH && at + 1 < characters.length) {
      at += 1;
      elements.push(characters[at] ?? 0);
    } else if (character === PERCENT) {
      if (elements.at(-1) !== ANY_RUN) elements.push(ANY_RUN);
    } else {
      elements.push(character === UNDERSCORE ? ANY_ONE : character);
    }
  }
  return elements;
}

const PERCENT = 0x25;
const UNDERSCORE = 0x5f;
const BACKSLASH = 0x5c;

export function toCodePoints(text: string): Int32Array {
  const points = new Int32Array(text.length);
  let count = 0;
  for (let at = 0; at < text.length; at += 1) {
    const point = text.codePointAt(at) ?? 0;
    points[count] = point;
    count += 1;
    if (point > 0xffff) at += 1;
  }
  return points.subarray(0, count);
}
