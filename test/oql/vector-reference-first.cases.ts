// Columns against the reference evaluator, the first half of the queries.

import { describe } from 'node:test';
import { itHolds } from '../input/family.ts';
import { vectorReference } from './vector-reference.ts';

describe('columns against the reference evaluator, first half', () => {
  // The same queries each time, so that a change of an executor is judged by what it changed.
  itHolds(vectorReference, { seed: 1, share: 0.5 });
});
