// The log sink: one line per observation on standard error. Lines are collected and written once
// per turn of the event loop, or at 64 KiB, so that a request only pays for the text of its line.

import { type LogLevel, printJsonLine, printReadableLine } from './log-line.ts';
import type { ErrorTrace, Observation, Observe } from './observation.ts';

export type LogFormat = 'json' | 'readable';

export interface LogOptions {
  /** The least important level that is still written. */
  readonly level: LogLevel;
  readonly format: LogFormat;
  /** Whether each request gets a line. */
  readonly requests: boolean;
  readonly trace: ErrorTrace;
  /** Receives whole lines; called at most once per turn of the event loop. */
  readonly write: (text: string) => void;
  /** Milliseconds since 1970, for the time in a line. */
  readonly now: () => number;
}

export interface Log {
  readonly observe: Observe;
  /** Writes buffered lines; call it before the process ends. */
  flush(): void;
}

const FLUSH_LENGTH = 64 * 1024;

const RANK: Readonly<Record<LogLevel, number>> = { error: 0, warn: 1, info: 2, debug: 3 };

export function createLog(options: LogOptions): Log {
  const { format, now, requests, trace, write } = options;
  const printTime = createTimePrinter();
  const threshold = RANK[options.level];
  const print = format === 'json' ? printJsonLine : printReadableLine;
  let pending = '';
  let scheduled = false;

  function flush(): void {
    scheduled = false;
    if (pending === '') return;
    const text = pending;
    pending = '';
    write(text);
  }

  return {
    flush,
    observe: (observation) => {
      if (observation.kind === 'request-finished' && !requests) return;
      const level = levelOf(observation);
      if (RANK[level] > threshold) return;
      pending += print({ level, time: printTime(now()), trace, observation });
      if (pending.length >= FLUSH_LENGTH) flush();
      else if (!scheduled) {
        scheduled = true;
        setImmediate(flush);
      }
    },
  };
}

function levelOf(observation: Observation): LogLevel {
  switch (observation.kind) {
    case 'request-finished':
      if (observation.cutBy !== undefined) return 'error';
      return observation.status >= 500 ? 'warn' : 'info';
    case 'answer-replayed':
    case 'bulk-finished':
    case 'entries-expired':
    case 'query-finished':
      return 'debug';
    case 'login-failed':
    case 'open-to-others':
    case 'store-recovered':
      return 'warn';
    case 'certificate-refused':
    case 'logins-refused':
    case 'service-failed':
    case 'store-lost':
    case 'request-failed':
    case 'store-failure':
      return 'error';
    case 'certificate-replaced':
    case 'logins-replaced':
    case 'service-started':
    case 'service-stopping':
    case 'service-stopped':
    case 'region-created':
    case 'region-altered':
    case 'region-destroyed':
    case 'index-created':
    case 'index-dropped':
    case 'named-query-changed':
    case 'sample-loaded':
    case 'stream-ended':
      return 'info';
  }
}

/** Prints ISO 8601 in UTC, caching the text up to the second, which is the costly part. */
function createTimePrinter(): (time: number) => string {
  let second = Number.NaN;
  let prefix = '';
  let last = Number.NaN;
  let printed = '';
  return (time) => {
    if (time === last) return printed;
    const current = Math.floor(time / 1000);
    if (current !== second) {
      second = current;
      prefix = new Date(current * 1000).toISOString().slice(0, 20);
    }
    last = time;
    printed = `${prefix}${String(Math.floor(time) - current * 1000).padStart(3, '0')}Z`;
    return printed;
  };
}
