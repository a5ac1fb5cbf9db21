// Every portable line of the corpus has its stated result.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { OqlError, type OqlErrorCode, type OqlFailure } from '../../src/oql/errors.ts';
import { isEqual, totalOrder } from '../../src/value/compare.ts';
import { parseJson } from '../../src/value/json-parse.ts';
import { printJson } from '../../src/value/json-print.ts';
import {
  Document,
  isList,
  type List,
  Struct,
  UNDEFINED,
  type Value,
} from '../../src/value/value.ts';
import { type CorpusLine, readCorpus, untag } from './corpus-line.ts';
import { dataSetNames, portfolioExamples, portfolioText } from './data-sets.ts';
import { EXCEPTIONS } from './exceptions.ts';
import { dataSetOf, referenceResult } from './reference-results.ts';

const lines = readCorpus().filter(({ isPortable, expect }) => isPortable && expect !== undefined);

describe('the data sets', () => {
  it('build Portfolios like the two in the file', () => {
    for (const [place, example] of portfolioExamples.members) {
      const [id = 0, counter = 0] = JSON.parse(place) as readonly number[];
      assert.ok(isEqual(parseJson(portfolioText(id, counter)), example), place);
    }
  });

  it('can all be built', () => {
    const names = dataSetNames();
    assert.ok(names.length > 5, `${names.length} data sets`);
    for (const name of names) {
      for (const [region, { entries }] of Object.entries(dataSetOf(name))) {
        const keys = new Set(entries.map(({ key }) => key));
        assert.equal(keys.size, entries.length, `${name} has keys of /${region} twice`);
      }
    }
  });
});

describe('a portable line has its expected result', () => {
  it('and there are lines to check', () => {
    assert.ok(lines.length > 500);
    const ids = new Set(lines.map(({ id }) => id));
    for (const id of EXCEPTIONS.keys()) assert.ok(ids.has(id), `${id} is no such line`);
  });

  const dataSets = Map.groupBy(lines, ({ dataSet }) => dataSet ?? 'none');
  for (const [name, members] of dataSets) {
    it(`on data set ${name}`, async (test) => {
      for (const line of members) {
        const reason = EXCEPTIONS.get(line.id);
        if (reason === undefined) {
          await test.test(`${line.id}: ${line.oql}`, () => checkLine(line));
        } else {
          await test.test(`${line.id} does not, because ${reason}`, () =>
            assert.rejects(checkLine(line), isDifference),
          );
        }
      }
    });
  }
});

/** Another result than expected, or a failure where a result was expected. */
function isDifference(error: unknown): boolean {
  return error instanceof assert.AssertionError || error instanceof OqlError;
}

async function checkLine(line: CorpusLine): Promise<void> {
  const expected = line.expect?.members ?? new Map<string, Value>();
  const failure = expected.get('error');
  if (failure !== undefined) {
    await assert.rejects(referenceResult(line), (error) => isExpectedError(error, failure));
    return;
  }
  let result: Value;
  try {
    result = await referenceResult(line);
  } catch (error) {
    assert.fail(error instanceof Error ? error : String(error));
  }
  assert.ok(expected.size > 0, 'the line states no result');
  for (const [kind, value] of expected) checkResult(kind, result, value);
}

const FAILURES: Readonly<Record<string, OqlFailure>> = {
  QueryInvalidException: 'invalid-syntax',
  TypeMismatchException: 'type-mismatch',
  FunctionDomainException: 'function-domain',
  IllegalArgumentException: 'parameter-count',
};

/** Refused by the original as a syntax error, although we detect it at run time. */
const LATE: ReadonlySet<OqlErrorCode> = new Set<OqlErrorCode>(['oql/date-invalid']);

function isExpectedError(error: unknown, expected: Value): boolean {
  assert.ok(error instanceof OqlError, String(error));
  if (expected === 'any') return true;
  if (expected === 'QueryInvalidException' && LATE.has(error.code)) return true;
  assert.equal(error.failure, FAILURES[String(expected)]);
  return true;
}

function checkResult(kind: string, result: Value, expected: Value): void {
  switch (kind) {
    case 'count':
      assert.equal(requireList(result).length, expected);
      break;
    case 'list':
      assertSame(requireList(result), requireList(expected).map(untag));
      break;
    case 'bag':
      assertSame(toBag(requireList(result)), toBag(requireList(expected).map(untag)));
      break;
    case 'ids':
      assertSame(toBag(requireList(result).map(readId)), toBag(requireList(expected)));
      break;
    case 'scalar':
      assertSame(result, untag(expected));
      break;
    case 'undefined':
      assert.equal(result, UNDEFINED);
      break;
    case 'structFields':
      assertSame(fieldNames(requireList(result)[0]), expected);
      break;
    default:
      assert.equal(kind, 'basis');
  }
}

function assertSame(actual: Value, expected: Value): void {
  const plain = toPlain(actual);
  assert.ok(isEqual(plain, expected), `${printJson(plain)} is not ${printJson(expected)}`);
}

/** The corpus writes a struct as an object. */
function toPlain(value: Value): Value {
  if (isList(value)) return value.map(toPlain);
  if (!(value instanceof Struct)) return value;
  const members = new Map<string, Value>();
  for (const [index, name] of value.names.entries()) {
    members.set(name, toPlain(value.values[index] ?? null));
  }
  return new Document(members);
}

function toBag(items: List): List {
  return items.map(toPlain).sort(totalOrder);
}

function readId(row: Value): Value {
  return row instanceof Document ? (row.members.get('ID') ?? null) : null;
}

function fieldNames(row: Value | undefined): List {
  return row instanceof Struct ? row.names : [];
}

function requireList(value: Value): List {
  assert.ok(isList(value), 'the result is not a list');
  return value;
}
