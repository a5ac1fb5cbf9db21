// The servers of a run, and the CPU time and memory of their processes.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import { MS_PER_TICK } from '../shared/stolen-time.ts';

export interface ServerProcess {
  readonly pid: number;
  readonly port: number;
  stop(): Promise<void>;
}

/** Starts a server that prints its address in its first line. */
export async function startServer(
  script: URL,
  args: readonly string[],
  nodeOptions: readonly string[] = [],
): Promise<ServerProcess> {
  const child = spawn(process.execPath, [...nodeOptions, fileURLToPath(script), ...args], {
    // The log is written as in production, but discarded.
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const lines = createInterface({ input: child.stdout });
  const ended = once(child, 'exit');
  const line = await Promise.race([once(lines, 'line'), ended.then(() => undefined)]);
  const port = /:(\d+)$/.exec(String(line?.[0]))?.[1];
  if (port === undefined || child.pid === undefined) throw new Error(`${script} did not start`);
  return {
    pid: child.pid,
    port: Number(port),
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** CPU time of a process with all its threads, in milliseconds. */
export function cpuMs(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
  // The name, in parentheses, may contain blanks; user and system time are fields 14 and 15.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const ticks = Number(fields[11]) + Number(fields[12]);
  return ticks * MS_PER_TICK;
}

/** Memory without mapped files, in MiB. */
export function anonymousMiB(pid: number): number {
  const text = readFileSync(`/proc/${pid}/status`, 'latin1');
  return Number(/^RssAnon:\s+(\d+) kB/m.exec(text)?.[1]) / 1024;
}
