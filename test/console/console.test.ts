// Every screen of the console in a real browser, against a real service. The screens share one browser,
// each with its own pages and service, and run concurrently because they mostly wait.

import { describe } from 'node:test';
import { testChanges } from './screens/changes.ts';
import { testEntries } from './screens/entries.ts';
import { testIndexes } from './screens/indexes.ts';
import { testLogin } from './screens/login.ts';
import { testOverview } from './screens/overview.ts';
import { testQueries } from './screens/queries.ts';
import { testSchema } from './screens/schema.ts';
import { testShell } from './screens/shell.ts';
import { testTransfer } from './screens/transfer.ts';
import { testUnsavedEdits } from './screens/unsaved-edits.ts';
import { testWorkbench } from './screens/workbench.ts';

/** Screens tested concurrently. */
const AT_ONCE = 4;

describe('the console', { concurrency: AT_ONCE }, () => {
  testWorkbench();
  testEntries();
  testUnsavedEdits();
  testTransfer();
  testOverview();
  testChanges();
  testQueries();
  testLogin();
  testShell();
  testIndexes();
  testSchema();
});
