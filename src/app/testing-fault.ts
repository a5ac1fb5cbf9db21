// Implements `testing.fault`: a deliberate crash or fault, with which tests of the whole service
// prove that they would detect one. Loading the configuration refuses it outside tests
// (config/load-config.ts).

import type { TestingOptions } from '../engine/sqlite/store-request.ts';
import { badFault } from './errors.ts';

const STORE_CRASHES = ['mid-write', 'before-commit', 'after-commit'] as const;
const SERVICE_FAULTS = [
  /** Kills the process while the service stops: pass 1 before, pass 2 after connections are closed. */
  'mid-drain',
  /** Throws in the handler that creates a new key. */
  'handler-throws',
  /** Causes an unhandled rejection in the same handler. */
  'unhandled-rejection',
] as const;

type ServiceFault = (typeof SERVICE_FAULTS)[number];

export interface TestingFault {
  readonly store: TestingOptions;
  /** Triggers the fault when this point is passed for the nth time. */
  pass(point: ServiceFault): void;
}

const NO_FAULT: TestingFault = { store: {}, pass: () => undefined };

/** `before-commit:20` crashes at the 20th pass; `no-sync` and `early-answer` apply all the time. */
export function parseTestingFault(text: string): TestingFault {
  if (text === '') return NO_FAULT;
  if (text === 'no-sync') return { ...NO_FAULT, store: { neverSyncs: true } };
  if (text === 'early-answer') return { ...NO_FAULT, store: { answersBeforeCommit: true } };
  const [name, count = '1'] = text.split(':');
  const pass = Number(count);
  if (!Number.isSafeInteger(pass) || pass < 1) throw badFault(text);
  const at = STORE_CRASHES.find((point) => point === name);
  if (at !== undefined) return { ...NO_FAULT, store: { crash: { at, pass } } };
  const fault = SERVICE_FAULTS.find((point) => point === name);
  if (fault === undefined) throw badFault(text);
  return createServiceFault(fault, pass);
}

function createServiceFault(fault: ServiceFault, atPass: number): TestingFault {
  let passes = 0;
  const pass = (point: ServiceFault): void => {
    if (point !== fault) return;
    passes += 1;
    if (passes !== atPass) return;
    if (point === 'mid-drain') process.kill(process.pid, 'SIGKILL');
    const error = new Error(`testing.fault ${point}`);
    if (point === 'handler-throws') throw error;
    void Promise.reject(error);
  };
  return { store: {}, pass };
}
