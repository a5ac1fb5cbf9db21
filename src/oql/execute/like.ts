// LIKE: a two-pointer matcher, never a regular expression, so that no pattern can take more than
// (text length × pattern length) steps.

/** Whether a whole text matches the pattern the matcher was compiled from. */
export type LikeMatcher = (text: string) => boolean;

// Pattern elements are UTF-16 code units, or one of these two.
const ANY_ONE = -1;
const ANY_RUN = -2;

/**
 * `%` stands for any run of characters, `_` for any one (a surrogate pair is one character).
 * A backslash makes the next character literal; at the end of the pattern it stands for itself.
 */
export function compileLike(pattern: string): LikeMatcher {
  const elements = parseElements(pattern);
  return (text) => matches(elements, text);
}

function parseElements(pattern: string): readonly number[] {
  const elements: number[] = [];
  for (let at = 0; at < pattern.length; at += 1) {
    const character = pattern[at];
    if (character === '\\' && at + 1 < pattern.length) {
      at += 1;
      elements.push(pattern.charCodeAt(at));
    } else if (character === '%') {
      elements.push(ANY_RUN);
    } else {
      elements.push(character === '_' ? ANY_ONE : pattern.charCodeAt(at));
    }
  }
  return elements;
}

/** On a clash only the last `%` has to be retried: an earlier one could not match any more. */
function matches(elements: readonly number[], text: string): boolean {
  let element = 0;
  let at = 0;
  let lastRun = -1;
  let runEnd = 0;
  while (at < text.length) {
    const expected = elements[element];
    if (expected === ANY_RUN) {
      lastRun = element;
      runEnd = at;
      element += 1;
    } else if (expected === ANY_ONE || expected === text.charCodeAt(at)) {
      element += 1;
      at += expected === ANY_ONE ? characterLength(text, at) : 1;
    } else if (lastRun >= 0) {
      runEnd += characterLength(text, runEnd);
      at = runEnd;
      element = lastRun + 1;
    } else {
      return false;
    }
  }
  while (elements[element] === ANY_RUN) element += 1;
  return element === elements.length;
}

function characterLength(text: string, at: number): number {
  const codePoint = text.codePointAt(at) ?? 0;
  return codePoint > 0xffff ? 2 : 1;
}
