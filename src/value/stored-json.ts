// Prints stored values for query results, without parsing most of them.

import { parseJson } from './json-parse.ts';
import { printJson } from './json-print.ts';
import { OWN_FORM, type ResultForm } from './result-form.ts';

/**
 * The JSON text of a stored value as a result shows it. Without a backslash in the text, `"@type":`
 * can only be the name of a member: quotes within strings would be escaped. It is looked for by its
 * first character that is rare, which takes a third of the time.
 */
export function printStored(text: string, form: ResultForm = OWN_FORM): string {
  if (form.typeName === '@type') return text;
  if (text.includes('\\')) return printJson(parseJson(text));
  const at = text.indexOf('@type":');
  if (at < 0) return text;
  // A member already called `type-class` is dropped, which takes more than a rename.
  if (text.includes('-class":') && text.includes('"type-class":')) {
    return printJson(parseJson(text));
  }
  const isOne = text[at - 1] === '"' && text.indexOf('@type":', at + 1) < 0;
  if (!isOne) return text.replaceAll('"@type":', '"type-class":');
  return `${text.slice(0, at)}type-class":${text.slice(at + '@type":'.length)}`;
}
