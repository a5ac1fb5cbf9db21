// Every operation of the route table with its description. A route can only name an operation of
// this list; a test finds those that no route names.

import { changeOperations } from './operations/changes.ts';
import { entryOperations } from './operations/entries.ts';
import { historyOperations } from './operations/history.ts';
import { liveOperations } from './operations/live.ts';
import { managementOperations } from './operations/management.ts';
import { queryOperations } from './operations/queries.ts';
import { regionOperations } from './operations/regions.ts';
import { memberOperations, serviceOperations } from './operations/service.ts';
import { transactionOperations } from './operations/transactions.ts';

export type Operation = keyof typeof operations;

export const operations: typeof regionOperations &
  typeof changeOperations &
  typeof entryOperations &
  typeof historyOperations &
  typeof queryOperations &
  typeof liveOperations &
  typeof managementOperations &
  typeof memberOperations &
  typeof serviceOperations &
  typeof transactionOperations = {
  ...regionOperations,
  ...changeOperations,
  ...entryOperations,
  ...historyOperations,
  ...queryOperations,
  ...liveOperations,
  ...managementOperations,
  ...memberOperations,
  ...serviceOperations,
  ...transactionOperations,
};
