// Prints an observation: as a JSON object for machines, or a short coloured line for people. Always
// exactly one line, for any path or error.

import type { ErrorTrace, Observation, RequestFinished } from './observation.ts';

export type LogLevel = 'error' | 'warn' | 'info' | 'debug';

export interface LogRecord {
  readonly level: LogLevel;
  /** ISO 8601. */
  readonly time: string;
  readonly trace: ErrorTrace;
  readonly observation: Observation;
}

/** `{"time":…,"level":…,"event":…,…}` and a line end. */
export function printJsonLine(record: LogRecord): string {
  const { level, observation, time } = record;
  if (observation.kind === 'request-finished') return printRequestJson(level, time, observation);
  const { kind, ...members } = observation;
  const error =
    'error' in observation ? { error: describeError(observation.error, record.trace) } : {};
  return `${JSON.stringify({ time, level, event: kind, ...members, ...error }, roundNumbers)}\n`;
}

/** `14:03:07 GET /grid-api/v1/orders 200 1.2 ms`, with colours, and a line end. */
export function printReadableLine(record: LogRecord): string {
  const { level, observation, time } = record;
  const clock = `${DIM}${time.slice(11, 19)}${RESET}`;
  if (observation.kind === 'request-finished') {
    const { bytes, method, ms, path, requestId, status } = observation;
    const shownPath = printable(path);
    const cut = observation.cutBy === undefined ? '' : ` ${RED}cut: ${observation.cutBy}${RESET}`;
    const code = observation.code === undefined ? '' : ` ${observation.code}`;
    return `${clock} ${method} ${shownPath} ${colourOf(status)}${status}${RESET}${code} ${ms.toFixed(1)} ms ${bytes} B${cut} ${DIM}${printable(requestId)}${RESET}\n`;
  }
  const { kind, ...members } = observation;
  const known = Object.entries(members).filter(([, member]) => member !== undefined);
  const parts = known.map(([name, member]) =>
    name === 'error'
      ? printable(printError(describeError(member, record.trace)))
      : `${DIM}${name}${RESET} ${printable(String(roundNumbers(name, member)))}`,
  );
  const colour = level === 'error' ? RED : BOLD;
  return `${clock} ${colour}${kind.replaceAll('-', ' ')}${RESET} ${parts.join(' ')}\n`;
}

const RESET = '\u001b[0m';
const BOLD = '\u001b[1m';
const DIM = '\u001b[2m';
const RED = '\u001b[31m';
const GREEN = '\u001b[32m';
const YELLOW = '\u001b[33m';

function colourOf(status: number): string {
  if (status >= 500) return RED;
  return status >= 400 ? YELLOW : GREEN;
}

/** Rounds to microseconds. */
function roundNumbers(_name: string, member: unknown): unknown {
  return typeof member === 'number' ? Math.round(member * 1000) / 1000 : member;
}

// Written by hand: this is the one line that is printed for every request, and
// a general serializer costs several times as much.
function printRequestJson(level: LogLevel, time: string, request: RequestFinished): string {
  return (
    `{"time":"${time}","level":"${level}","event":"request-finished"` +
    // Method and route come from the parser and the route table: nothing to escape.
    `,"requestId":${quote(request.requestId)},"method":"${request.method}"` +
    `,"route":"${request.route}","path":${quote(request.path)},"status":${request.status}` +
    `,"bytes":${request.bytes},"ms":${printMs(request.ms)}` +
    (request.code === undefined && request.cutBy === undefined ? '}\n' : printFailure(request))
  );
}

/** Codes are our own: nothing to escape. */
function printFailure({ code, cutBy, queryId }: RequestFinished): string {
  return (
    (code === undefined ? '' : `,"code":"${code}"`) +
    (queryId === undefined ? '' : `,"queryId":${quote(queryId)}`) +
    (cutBy === undefined ? '}\n' : `,"cutBy":"${cutBy}"}\n`)
  );
}

/** Three decimals, from integers: printing a fraction costs as much as the rest of the line. */
function printMs(ms: number): string {
  const microseconds = Math.round(ms * 1000);
  const fraction = microseconds % 1000;
  return `${(microseconds - fraction) / 1000}.${String(fraction).padStart(3, '0')}`;
}

const PLAIN_TEXT = /^[ !#-[\]-~]*$/;

function quote(text: string): string {
  return PLAIN_TEXT.test(text) ? `"${text}"` : JSON.stringify(text);
}

/** Control characters would let a path forge lines or move a terminal's cursor. */
function printable(text: string): string {
  return text.replaceAll(/\p{Cc}+/gu, ' ');
}

interface LoggedError {
  readonly name: string;
  readonly code?: string;
  readonly message?: string;
  readonly frames?: readonly string[];
}

/**
 * Name, code and frames. The message is omitted unless `full` is set: an unexpected error may quote
 * data.
 */
function describeError(error: unknown, trace: ErrorTrace): LoggedError {
  if (!(error instanceof Error)) return { name: typeof error };
  return {
    name: error.name,
    ...('code' in error && typeof error.code === 'string' ? { code: error.code } : {}),
    ...(trace === 'full' ? { message: error.message } : {}),
    ...(trace === 'off' ? {} : { frames: framesOf(error) }),
  };
}

/** The error in one line, with three frames. */
function printError({ code, frames, message, name }: LoggedError): string {
  return [name, code, message, ...(frames ?? []).slice(0, 3)]
    .filter((part) => part !== undefined)
    .join(' ');
}

/** The `at …` lines of a stack; its head repeats the message and is dropped with it. */
function framesOf(error: Error): readonly string[] {
  return (error.stack ?? '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.startsWith('at '));
}
