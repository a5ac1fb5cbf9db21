// Names that a JSON value may answer to although no member has them: `o.tags.size`.

import { STRING_METHODS } from '../methods/string-methods.ts';
import {
  ANY_METHODS,
  BOOLEAN_METHODS,
  DOCUMENT_METHODS,
  LIST_METHODS,
  NUMBER_METHODS,
} from '../methods/value-methods.ts';

const METHOD_NAMES: ReadonlySet<string> = new Set([
  ...ANY_METHODS.keys(),
  ...BOOLEAN_METHODS.keys(),
  ...DOCUMENT_METHODS.keys(),
  ...LIST_METHODS.keys(),
  ...NUMBER_METHODS.keys(),
  ...STRING_METHODS.keys(),
]);

export function isAttributeName(name: string): boolean {
  const getter = `get${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  return METHOD_NAMES.has(name) || METHOD_NAMES.has(getter);
}
