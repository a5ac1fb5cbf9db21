import { Worker } from 'node:worker_threads';

/** Starts a thread of this folder. It runs from source or from the build, like this file. */
export function startThread(name: 'check' | 'checkpoint' | 'writer', workerData: unknown): Worker {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  return new Worker(new URL(`./${name}-thread.${extension}`, import.meta.url), { workerData });
}
