// Query parameters as Geode's web framework binds them: one that is given several times is one text
// joined by commas, and a list that is given once is split at its commas.

import { trimLikeJava } from '../../../value/java-trim.ts';
import type { QueryString } from '../../request/query-string.ts';
import { decodeParameter } from './url-decoding.ts';

/** The value, or undefined when the parameter is not given. */
export function textParameter(query: QueryString, name: string): string | undefined {
  const values = query.all(name);
  return values.length === 0 ? undefined : values.map(decodeParameter).join(',');
}

/** The elements, or undefined when the parameter is not given. */
export function listParameter(query: QueryString, name: string): readonly string[] | undefined {
  const values = query.all(name).map(decodeParameter);
  const [only, ...more] = values;
  if (only === undefined) return undefined;
  return more.length > 0 ? values : splitList(only);
}

/** Elements lose the blanks around them; an empty text has none. */
export function splitList(text: string): readonly string[] {
  return text === '' ? [] : text.split(',').map(trimLikeJava);
}

/** Whether it has any text: Geode treats missing, empty and blank alike here. */
export function hasText(text: string | undefined): text is string {
  return text !== undefined && text.trim() !== '';
}
