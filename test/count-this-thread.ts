// Loaded first by the processes of tests whose coverage is counted: the threads and processes that
// they start count nothing. Each of them would write down all of its modules when it ends, and each
// store has its own thread.

delete process.env['NODE_V8_COVERAGE'];
