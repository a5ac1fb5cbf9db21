// Loaded before the tests of `npm test`: properties are tried on the same values each
// time, and on ten times as many in `npm run test:long`, so that a commit passes or fails for good. A file run by itself
// makes new choices, and fast-check prints the seed of those that fail.

import fc from 'fast-check';
import { pickSeed, shareOfRuns } from '../src/value/testing/share-of-runs.ts';

fc.configureGlobal({ seed: pickSeed(), numRuns: shareOfRuns(1_000) });
