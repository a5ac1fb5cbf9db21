// Columns against the reference evaluator, the first half of the queries.

import { describe } from 'node:test';
import { itHolds } from '../input/family.ts';
import { vectorReference } from './vector-reference.ts';

describe('columns against the reference evaluator, first half', () => {
  itHolds(vectorReference, { part: 0, share: 0.5 });
});
