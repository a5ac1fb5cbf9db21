// Columns against the reference evaluator, the second half of the queries.

import { describe } from 'node:test';
import { itHolds } from '../input/family.ts';
import { vectorReference } from './vector-reference.ts';

describe('columns against the reference evaluator, second half', () => {
  itHolds(vectorReference, { part: 1, share: 0.5 });
});
