// Loaded first by the processes of tests whose coverage is counted: the threads and processes that
// they start count nothing. Each would write a coverage file for all its modules at exit, and each
// store has its own thread.

delete process.env['NODE_V8_COVERAGE'];
