// The specification suite over PostgreSQL: `npm test` runs a share of it, the long form all of it.

import { it } from 'node:test';
import { pickSize } from '../faults/sizes.ts';
import { assertSpecification } from '../run-specification.ts';

it('passes over PostgreSQL', () => {
  assertSpecification('postgres', pickSize({ quick: 'share', short: 'whole' }));
});
