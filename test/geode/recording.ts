// Requests that a real Geode answered, and the comparison of our answers with its answers.

import { readFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import type { Answer } from '../http-client.ts';
import type { Service } from '../service.ts';

export interface RecordedAnswer {
  readonly status: number;
  /** The relevant headers, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** Absent where it depends on other contents of the recorded grid. */
  readonly body?: string;
}

export interface RecordedRequest {
  readonly n: number;
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Absent when the answer was not recorded; the request still belongs to the sequence. */
  readonly expect?: RecordedAnswer;
}

export function readLines<T>(name: string): readonly T[] {
  const text = readFileSync(new URL(name, import.meta.url), 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as T); // our own files
}

/** Sends exactly the recorded request; only the length is added. */
export function replay(service: Service, recorded: RecordedRequest): Promise<Answer> {
  const { body = '', headers, method, target: path } = recorded;
  const sendsLength = body !== '' || method === 'PUT' || method === 'POST';
  const length = sendsLength ? { 'content-length': String(Buffer.byteLength(body)) } : {};
  return new Promise((resolve, reject) => {
    const request = httpRequest({
      host: '127.0.0.1',
      port: service.port,
      method,
      path,
      headers: { ...headers, ...length },
    });
    request.on('error', reject);
    request.on('response', (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('error', reject);
      incoming.on('end', () =>
        resolve({
          status: incoming.statusCode ?? 0,
          headers: incoming.headers as Answer['headers'], // none of them is a list
          text: Buffer.concat(chunks).toString(),
        }),
      );
    });
    request.end(body);
  });
}

/** The differences as texts; empty when the answers agree. */
export function compareAnswers(
  service: Service,
  answer: Answer,
  recorded: RecordedAnswer,
): readonly string[] {
  const differences: string[] = [];
  const compare = (part: string, expected: string, actual: string, isSame: Compare): void => {
    if (expected !== actual && !isSame(expected, actual))
      differences.push(`${part}: ${expected}\n  but ${actual}`);
  };
  compare('status', String(recorded.status), String(answer.status), never);
  for (const [name, expected] of Object.entries(recorded.headers)) {
    compare(name, expected, withoutOrigin(answer.headers[name], service), HEADERS[name] ?? never);
  }
  if (recorded.body !== undefined) {
    compare('body', recorded.body, withoutOrigin(answer.text, service), isSameBody);
  }
  return differences;
}

type Compare = (left: string, right: string) => boolean;

const never: Compare = () => false;

/** Geode returns entries, keys and rows in the order of its hash tables, and methods in any order. */
const HEADERS: Readonly<Record<string, Compare>> = {
  allow: (expected, actual) => sorted(expected) === sorted(actual),
  'content-location': (expected, actual) => sorted(lastPart(expected)) === sorted(lastPart(actual)),
};

function lastPart(address: string): string {
  return address.replace(/^(.*\/v1\/[^/]*)\//, '');
}

function sorted(list: string): string {
  return list.split(',').toSorted().join();
}

function withoutOrigin(text: string | undefined, service: Service): string {
  return (text ?? '').replaceAll(service.origin, '{base}');
}

const isSameBody: Compare = (expected, actual) =>
  isSameJson(expected, actual) || isSameError(expected, actual);

/** Whether two errors are equal, apart from escapes that Geode omits. */
export function isSameError(expected: string, actual: string): boolean {
  return expected === unescaped(actual);
}

/** An error as Geode builds it: quotes and line breaks in its text are not escaped. */
function unescaped(error: string): string {
  const literal = /^\{"(?:cause":|message" : )("(?:[^"\\]|\\.)*")\}$/s.exec(error)?.[1];
  return literal === undefined ? error : error.replace(literal, () => `"${JSON.parse(literal)}"`);
}

/** Whether two JSON texts are equal, apart from the order of elements and the spelling of numbers. */
export function isSameJson(left: string, right: string): boolean {
  try {
    return canonical(JSON.parse(left)) === canonical(JSON.parse(right));
  } catch {
    return false;
  }
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).toSorted().join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]) => `${name}:${canonical(member)}`);
  return `{${members.toSorted().join()}}`;
}
