// Names that may call a method of a value instead of reading a member: `o.tags.size`.

import { JSON_METHOD_NAMES } from '../methods/method-names.ts';

export function isAttributeName(name: string): boolean {
  const getter = `get${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  return JSON_METHOD_NAMES.has(name) || JSON_METHOD_NAMES.has(getter);
}
