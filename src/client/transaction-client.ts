// Operations on entries of any regions as one commit. Values are split and joined as text, so that
// a codec sees exactly the stored text.

import type { Codec } from './codec.ts';
import { membersOf, partsOf } from './json-parts.ts';
import type { RepeatOptions } from './transport.ts';

/** A condition on an entry, tested before any step. */
export type TransactionCondition = { readonly region: string; readonly key: string } & (
  | { readonly version: number }
  | { readonly absent: true }
  | { readonly present: true }
);

export type TransactionStep<Document> = { readonly region: string; readonly key: string } & (
  | {
      /** `put` when absent. */
      readonly op?: 'put' | 'create' | 'replace';
      readonly value: Document;
      /** The entry must have this version. */
      readonly ifVersion?: number;
      /** Time to live: seconds, or an ISO 8601 duration; absent: the default of its region. */
      readonly ttl?: number | string;
    }
  | { readonly op: 'remove'; readonly ifVersion?: number }
  | { readonly op: 'get' }
);

export interface TransactionRequest<Document> {
  readonly if?: readonly TransactionCondition[];
  readonly do: readonly TransactionStep<Document>[];
}

export interface TransactionOptions<Document> extends RepeatOptions {
  readonly codec?: Codec<Document> | undefined;
  /** Executes and answers everything, and commits nothing. */
  readonly rollback?: boolean | undefined;
}

export interface TransactionAnswer<Document> {
  /** The commit, which is the version of every entry written. */
  readonly sequence: number;
  /** One per step; `undefined` if `get` found nothing. */
  readonly results: readonly (
    | { readonly version: number; readonly value?: Document }
    | undefined
  )[];
}

export function printTransaction<Document>(
  request: TransactionRequest<Document>,
  codec: Codec<Document>,
): string {
  const steps = request.do.map((step) => {
    const { key, op, region } = step;
    const members = [`"region":${JSON.stringify(region)}`, `"key":${JSON.stringify(key)}`];
    if (op !== undefined) members.push(`"op":"${op}"`);
    if ('value' in step) members.push(`"value":${codec.print(step.value)}`);
    if ('ifVersion' in step && step.ifVersion !== undefined) {
      members.push(`"if-match":${step.ifVersion}`);
    }
    if ('ttl' in step && step.ttl !== undefined) members.push(`"ttl":${JSON.stringify(step.ttl)}`);
    return `{${members.join()}}`;
  });
  return `{"if":${JSON.stringify(request.if ?? [])},"do":[${steps.join()}]}`;
}

export function parseTransactionAnswer<Document>(
  text: string,
  codec: Codec<Document>,
): TransactionAnswer<Document> {
  const members = membersOf(text);
  return {
    sequence: Number(members.get('sequence')),
    results: partsOf(members.get('results') ?? '[]').map((element) => {
      if (element === 'null') return undefined;
      const result = membersOf(element);
      const version = Number(result.get('version'));
      const value = result.get('value');
      return value === undefined ? { version } : { version, value: codec.parse(value) };
    }),
  };
}
