// The thread that checks a copy. A check is long synchronous work, and the command must be able to
// end, and to remove the copy, meanwhile.

import { parentPort, workerData } from 'node:worker_threads';
import type { StoreReport } from '../store-report.ts';
import { checkStore, type Progress } from './check-store.ts';
import type { DataFile } from './store-reader.ts';

export type FromCheck =
  | { readonly kind: 'progress'; readonly progress: Progress }
  | { readonly kind: 'finished'; readonly report: StoreReport };

if (parentPort === null) throw new TypeError('this file is the thread of a check');
const port = parentPort;
const send = (message: FromCheck): void => port.postMessage(message);

// Only copy-store.ts starts this thread, with a file.
const report = await checkStore(workerData as DataFile, (progress) =>
  send({ kind: 'progress', progress }),
);
send({ kind: 'finished', report });
