// Laws of queries.

import { describe } from 'node:test';
import { itHolds } from '../input/family.ts';
import { queryLaws } from './query-laws.ts';

describe('a query', () => {
  itHolds(queryLaws);
});
