// Every operation of the route table with its description. A test finds those that no route names.

import type { OperationDescription, Operations } from './description.ts';
import { changeOperations } from './operations/changes.ts';
import { entryOperations } from './operations/entries.ts';
import { historyOperations } from './operations/history.ts';
import { liveOperations } from './operations/live.ts';
import { managementOperations } from './operations/management.ts';
import { queryOperations } from './operations/queries.ts';
import { regionOperations } from './operations/regions.ts';
import { memberOperations, serviceOperations } from './operations/service.ts';
import { transactionOperations } from './operations/transactions.ts';

export const operations: Operations = {
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

/** Throws when a route names an operation without a description, so that the service does not start. */
export function requireOperation(name: string): OperationDescription {
  const operation = operations[name];
  if (operation === undefined) throw new RangeError(`Operation ${name} is not described`);
  return operation;
}
