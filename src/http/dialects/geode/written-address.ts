// The addresses of written entries, in the form in which the request gave their keys.

import { quoteGiven, toAddress, toKeysAddress } from './addresses.ts';
import type { GeodeWriteEntries } from './geode-intent.ts';

export function writtenAddress(
  { givenKeys, keys, keysIn, region }: GeodeWriteEntries,
  base: string,
): string {
  return keysIn === 'path'
    ? toAddress(base, region, keys.join(','))
    : toKeysAddress(base, region, givenKeys.map(quoteGiven));
}
