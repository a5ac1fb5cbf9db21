// The body of a transaction:
//
//   {"if":[{"region":"orders","key":"7","version":42}],
//    "do":[{"op":"put","region":"orders","key":"7","value":{…}},
//          {"op":"get","region":"items","key":"SKU-1"}]}

import type { TransactionCondition, TransactionOperation } from '../../grid/index.ts';
import { kindOfJson, splitArray } from '../../value/json-text.ts';
import { badBody, RequestError, tooManyOperations } from '../errors.ts';
import {
  membersOf,
  OPERATION_MEMBERS,
  parseEntryOperation,
  parseOp,
  requireText,
  requireVersion,
} from './entry-operation.ts';

/** Conditions have the same limit, counted separately. */
export const MAX_TRANSACTION_OPERATIONS = 1000;
const CONDITION_MEMBERS = ['region', 'key', 'version', 'absent', 'present'];

/** Nesting levels around a value. */
export const TRANSACTION_DEPTH = 3;

export interface TransactionBody {
  readonly conditions: readonly TransactionCondition[];
  readonly operations: readonly TransactionOperation[];
}

/** Takes checked, compact JSON. Throws `request/bad-body` with the element. */
export function parseTransaction(compact: string): TransactionBody {
  const members = membersOf(compact, ['if', 'do'], 'The body');
  const operations = members.get('do');
  if (operations === undefined) throw badBody('The body needs the member do, an array');
  return {
    conditions: parseList('if', members.get('if') ?? '[]', parseCondition),
    operations: parseList('do', operations, parseOperation),
  };
}

function parseList<T>(
  name: 'if' | 'do',
  text: string,
  parse: (element: string) => T,
): readonly T[] {
  if (kindOfJson(text) !== 'array') throw badBody(`The member ${name} must be an array`);
  const elements = splitArray(text);
  if (elements.length > MAX_TRANSACTION_OPERATIONS) {
    throw tooManyOperations(
      `The member ${name} may have ${MAX_TRANSACTION_OPERATIONS} elements at most`,
    );
  }
  return elements.map((element, index) => {
    try {
      return parse(element);
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      throw badBody(`${name}[${index}]: ${error.message}`, { in: name, index });
    }
  });
}

function parseCondition(element: string): TransactionCondition {
  const members = membersOf(element, CONDITION_MEMBERS, 'A condition');
  const region = requireText(members, 'region');
  const key = requireText(members, 'key');
  const stated = (['version', 'absent', 'present'] as const).filter((name) => members.has(name));
  const [kind] = stated;
  if (kind === undefined || stated.length > 1) {
    throw badBody('A condition needs one of version, absent, present');
  }
  const text = members.get(kind) ?? '';
  if (kind === 'version')
    return { region, key, requires: { version: requireVersion(text, 'The member version') } };
  if (text !== 'true') throw badBody(`The member ${kind} must be true`);
  return { region, key, requires: kind };
}

function parseOperation(element: string): TransactionOperation {
  const members = membersOf(element, [...OPERATION_MEMBERS, 'region'], 'An operation');
  const region = requireText(members, 'region');
  if (parseOp(members) !== 'get') return { region, ...parseEntryOperation(members, ['get']) };
  if (['value', 'if-match', 'ttl'].some((name) => members.has(name))) {
    throw badBody('get takes neither value nor if-match nor ttl');
  }
  return { op: 'get', region, key: requireText(members, 'key') };
}
