// Functions of texts. Positions count from 1, as in SQL; methods count from 0.

import { foldCase, MAX_TEXT_LENGTH } from '../../value/computed-text.ts';
import { describeValue } from '../../value/describe-value.ts';
import { printText } from '../../value/json-print.ts';
import { isAbsent, type Value } from '../../value/value.ts';
import { toText } from './cast-value.ts';
import {
  define,
  defineOpened,
  defineVariadic,
  domainFailure,
  type FunctionDefinition,
  FunctionFailure,
  type FunctionOutcome,
} from './function-definition.ts';
import { compileLike, isTooLongToSearch, type LikeMatcher, LONGEST_SEARCHED } from './like.ts';

const TOO_LONG = domainFailure('The result is too long a text');

export const TEXT_FUNCTIONS: readonly FunctionDefinition[] = [
  define('UPPER', ['text'], (text) => text.toUpperCase()),
  define('LOWER', ['text'], (text) => text.toLowerCase()),
  define('TRIM', ['text'], (text) => text.trim()),
  define('LTRIM', ['text'], (text) => text.trimStart()),
  define('RTRIM', ['text'], (text) => text.trimEnd()),
  define('SUBSTRING', ['text', 'integer', 'integer?'], substring),
  define('SUBSTR', ['text', 'integer', 'integer?'], substring),
  define('REPLACE', ['text', 'text', 'text'], replace),
  define('STARTS_WITH', ['text', 'text'], (text, prefix) => text.startsWith(prefix)),
  define('ENDS_WITH', ['text', 'text'], (text, suffix) => text.endsWith(suffix)),
  define('CONTAINS', ['text', 'text'], (text, part) => text.includes(part)),
  define('POSITION', ['text', 'text'], (part, text) => text.indexOf(part) + 1),
  // With one argument, `concat('b')` is the method of a row that is a text.
  defineVariadic('CONCAT', 'any', 2, (parts) => joinTexts(parts.filter((part) => !isAbsent(part)))),
  defineOpened('ILIKE', ['any', 'any'], openLikeIgnoringCase),
];

/** As in SQL: positions before the text count, but have no characters. */
function substring(text: string, from: number, length: number | undefined): FunctionOutcome {
  if (length === undefined) return text.slice(Math.max(0, from - 1));
  if (length < 0) return domainFailure(`A text cannot have ${length} characters`, 2);
  return text.slice(Math.max(0, from - 1), Math.max(0, from - 1 + length));
}

function replace(text: string, part: string, other: string): FunctionOutcome {
  if (part === '') return text;
  const pieces = text.split(part);
  return text.length + (pieces.length - 1) * other.length > MAX_TEXT_LENGTH
    ? TOO_LONG
    : pieces.join(other);
}

/** Texts, numbers, booleans and dates as one text. */
export function joinTexts(parts: readonly Value[]): FunctionOutcome {
  let result = '';
  for (const part of parts) {
    const text = toText(part);
    if (text === undefined) {
      return new FunctionFailure('type', `Cannot join ${describeValue(part)} to a text`);
    }
    result += text;
    if (result.length > MAX_TEXT_LENGTH) return TOO_LONG;
  }
  return result;
}

/** `value ILIKE pattern`, with the rules of LIKE otherwise. */
function openLikeIgnoringCase(): (value: Value, pattern: Value) => FunctionOutcome {
  let last: string | undefined;
  let matches: LikeMatcher = () => false;
  return (value, pattern) => {
    if (isAbsent(pattern)) return new FunctionFailure('type', 'A pattern cannot be null', 1);
    const text = foldCase(printText(pattern));
    if (text !== last) {
      if (isTooLongToSearch(text)) {
        const reason = `A pattern that contains _ may have at most ${LONGEST_SEARCHED} characters between two %`;
        return domainFailure(reason, 1);
      }
      matches = compileLike(text);
      last = text;
    }
    if (value === null) return null;
    return typeof value === 'string' && matches(foldCase(value));
  };
}
