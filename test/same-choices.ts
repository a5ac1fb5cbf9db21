// Loaded before the tests of `npm test`: properties are tried on the same values
// each time, so that a commit passes or fails for good. A file run by itself
// makes new choices, and fast-check prints the seed of those that fail.

import fc from 'fast-check';

fc.configureGlobal({ seed: Number(process.env['TEST_SEED'] ?? 1) });
