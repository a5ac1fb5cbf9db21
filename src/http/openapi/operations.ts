// Every operation of the route table with its description. A route can only name an operation of
// this list; a test finds those that no route names.

import type { Operations } from './description.ts';
import { type ChangeOperationName, changeOperations } from './operations/changes.ts';
import { type EntryOperationId, entryOperations } from './operations/entries.ts';
import { type HistoryOperationId, historyOperations } from './operations/history.ts';
import { type LiveOperationId, liveOperations } from './operations/live.ts';
import { type ManagementOperationId, managementOperations } from './operations/management.ts';
import { type QueryOperationId, queryOperations } from './operations/queries.ts';
import { type RegionOperationId, regionOperations } from './operations/regions.ts';
import {
  type MemberOperationId,
  memberOperations,
  type ServiceOperationId,
  serviceOperations,
} from './operations/service.ts';
import { type TransactionOperationName, transactionOperations } from './operations/transactions.ts';

export type Operation =
  | RegionOperationId
  | ChangeOperationName
  | EntryOperationId
  | HistoryOperationId
  | QueryOperationId
  | LiveOperationId
  | ManagementOperationId
  | MemberOperationId
  | ServiceOperationId
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
