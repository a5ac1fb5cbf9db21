// Imported first by processes of tests that need no disk (`isOnDisk`): their temporary files are in the
// folder of the run, which is in memory where that is possible.

process.env['TMPDIR'] = process.env['TEST_TEMPORARY'];
