// Columns against the reference evaluator: a few queries, so that the coverage
// knows of them. All of them run in the files beside it, where nothing is counted.

import { describe } from 'node:test';
import { itHolds } from '../input/family.ts';
import { vectorReference } from './vector-reference.ts';

describe('columns against the reference evaluator', () => {
  itHolds(vectorReference, { seed: 1, share: 0.05 });
});
