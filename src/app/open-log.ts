// The log on a stream: readable on a terminal, JSON elsewhere.

import type { Config } from '../config/config.ts';
import { createLog, type Log } from '../observe/log.ts';

/** The part of `process.stderr` that is used. */
export interface LogStream {
  readonly isTTY?: boolean | undefined;
  write(text: string, encoding: 'latin1' | 'utf8'): unknown;
  on(event: 'error', listener: () => void): unknown;
}

/** Most lines are ASCII; as Latin-1 they are written faster. */
const ASCII = /^[ -~\n]*$/;

export function openLog(config: Config, stream: LogStream): Log {
  const { format, level, requests } = config.log;
  // A closed stream must not end the service.
  let broken = false;
  stream.on('error', () => {
    broken = true;
  });
  return createLog({
    level,
    requests,
    format: format === 'auto' ? (stream.isTTY ? 'readable' : 'json') : format,
    trace: config.errors.trace,
    now: Date.now,
    write: (text) => {
      if (!broken) stream.write(text, ASCII.test(text) ? 'latin1' : 'utf8');
    },
  });
}
