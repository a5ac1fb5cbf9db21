// The parent's side of the service process.

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { get } from 'node:http';
import type { FromService, Ran, ServiceCalls } from './service.ts';

export interface Service {
  readonly port: number;
  /** Calls the service process, one call at a time. */
  call<Name extends keyof ServiceCalls>(
    name: Name,
    ...args: Parameters<ServiceCalls[Name]>
  ): Promise<Awaited<ReturnType<ServiceCalls[Name]>>>;
  /** Time to the last byte. */
  runOverHttp(oql: string): Promise<Ran>;
  stop(): Promise<void>;
}

/** Fills a store and starts the service on it. */
export async function startService(
  rows: number,
  onProgress: (text: string) => void,
): Promise<Service> {
  const child = fork(new URL('./service.ts', import.meta.url), [String(rows)], {
    execArgv: ['--expose-gc', ...process.execArgv],
  });
  await ready(child, onProgress);
  async function call<Name extends keyof ServiceCalls>(
    name: Name,
    ...args: Parameters<ServiceCalls[Name]>
  ): Promise<Awaited<ReturnType<ServiceCalls[Name]>>> {
    child.send({ name, args });
    const [message] = (await once(child, 'message')) as [FromService]; // it sends no others
    if (message.kind !== 'answer') throw new Error(`${name}: ${JSON.stringify(message)}`);
    return message.value as Awaited<ReturnType<ServiceCalls[Name]>>; // the result of the call
  }
  const port = await call('port');
  return {
    call,
    port,
    runOverHttp: (oql) => runOverHttp(port, oql),
    stop: async () => {
      const ended = once(child, 'exit');
      await call('close');
      await ended;
    },
  };
}

function ready(child: ChildProcess, onProgress: (text: string) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('exit', () => reject(new Error('The service ended')));
    const listen = (message: FromService): void => {
      if (message.kind === 'progress') onProgress(message.text);
      if (message.kind !== 'ready') return;
      child.off('message', listen);
      resolve();
    };
    child.on('message', listen);
  });
}

async function runOverHttp(port: number, oql: string): Promise<Ran> {
  const path = `/grid-api/v1/queries/adhoc?q=${encodeURIComponent(oql)}`;
  const started = performance.now();
  const [response] = await once(get({ port, path }), 'response');
  let bytes = 0;
  for await (const chunk of response) bytes += chunk.length;
  if (response.statusCode !== 200) throw new Error(`${oql}: status ${response.statusCode}`);
  return { ms: performance.now() - started, bytes, sliceMs: 0 };
}
