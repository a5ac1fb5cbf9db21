// Loaded first by the processes of tests whose coverage is not counted, though that of others in
// the same run is: counting coverage makes a test process a quarter slower.

import { stopCoverage } from 'node:v8';

stopCoverage();
delete process.env['NODE_V8_COVERAGE'];
