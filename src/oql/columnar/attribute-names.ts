// Names that may call a method of a value instead of reading a member: `o.tags.size`.

import { capitalize } from '../../value/describe-value.ts';
import { JSON_METHOD_NAMES } from '../methods/method-names.ts';

export function isAttributeName(name: string): boolean {
  return JSON_METHOD_NAMES.has(name) || JSON_METHOD_NAMES.has(`get${capitalize(name)}`);
}
