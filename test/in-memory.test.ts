// A share of the specification suite in memory. `npm test` runs all of it over SQLite, the long
// form over both; the contract of engines and their mirror tests tie the engines to each other.

import { it } from 'node:test';
import { assertSpecification } from './run-specification.ts';

it('passes in memory', () => {
  assertSpecification('memory', 'share');
});
