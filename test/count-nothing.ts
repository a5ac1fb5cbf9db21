// Loaded first by the processes of tests whose coverage is not counted, though that of others in
// the same run is: counting makes a process of tests a quarter dearer.

import { stopCoverage } from 'node:v8';

stopCoverage();
delete process.env['NODE_V8_COVERAGE'];
