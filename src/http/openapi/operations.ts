// Every operation of the route table with its description. A route can only name an operation of
// this list; a test finds those that no route names.

import type { Operations } from './description.ts';
import { type ChangeOperationName, changeOperations } from './operations/changes.ts';
import { type EntryOperation, entryOperations } from './operations/entries.ts';
import { type HistoryOperation, historyOperations } from './operations/history.ts';
import { type LiveOperation, liveOperations } from './operations/live.ts';
import { type ManagementOperation, managementOperations } from './operations/management.ts';
import { type QueryOperation, queryOperations } from './operations/queries.ts';
import { type RegionOperation, regionOperations } from './operations/regions.ts';
import {
  type MemberOperation,
  memberOperations,
  type ServiceOperation,
  serviceOperations,
} from './operations/service.ts';
import { type TransactionOperationName, transactionOperations } from './operations/transactions.ts';

export type Operation =
  | RegionOperation
  | ChangeOperationName
  | EntryOperation
  | HistoryOperation
  | QueryOperation
  | LiveOperation
  | ManagementOperation
  | MemberOperation
  | ServiceOperation
  | TransactionOperationName;

export const operations: Operations<Operation> = {
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
