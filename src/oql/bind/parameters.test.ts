import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Char, Double, Float, Temporal, type Value } from '../../value/value.ts';
import { OqlError, type OqlErrorCode } from '../errors.ts';
import { parseQuery } from '../syntax/parse-query.ts';
import { openCatalog } from '../testing/sample-catalog.ts';
import { bindQuery } from './bind-query.ts';
import { bindParameters, type ParameterRequest } from './parameters.ts';

const QUERY_TIME = Date.UTC(2026, 6, 15);

function bind(text: string, requests: readonly Partial<ParameterRequest>[]): readonly Value[] {
  const empty = { name: undefined, type: undefined, json: undefined };
  return bindParameters(
    bindQuery(parseQuery(text), openCatalog),
    requests.map((request) => ({ ...empty, ...request })),
    QUERY_TIME,
  );
}

function convert(type: string, json?: string): Value | undefined {
  return bind('$1', [json === undefined ? { type } : { type, json }])[0];
}

function refuses(code: OqlErrorCode, run: () => unknown): OqlError {
  let thrown: unknown;
  assert.throws(run, (error) => {
    thrown = error;
    return error instanceof OqlError && error.code === code;
  });
  assert.ok(thrown instanceof OqlError);
  return thrown;
}

describe('a parameter of type', () => {
  const limits: Readonly<Record<string, readonly [bigint, bigint]>> = {
    byte: [-128n, 127n],
    short: [-32_768n, 32_767n],
    int: [-(2n ** 31n), 2n ** 31n - 1n],
    long: [-(2n ** 63n), 2n ** 63n - 1n],
  };
  for (const [type, [lowest, highest]] of Object.entries(limits)) {
    it(`${type} takes whole numbers in its range, as number or text`, () => {
      for (const value of [lowest, highest]) {
        assert.equal(BigInt(String(convert(type, String(value)))), value);
        assert.equal(BigInt(String(convert(type, `" ${value} "`))), value);
      }
      assert.equal(convert(type, '"+5"'), 5);
      assert.equal(Object.is(convert(type, '-0'), 0), true);
      const wrong = [lowest - 1n, highest + 1n, '110.0', '110.5', '1e2', '"abc"', '""', 'true'];
      for (const json of [...wrong, '[1]', '{"a":1}']) {
        refuses('oql/parameter-type', () => convert(type, String(json)));
      }
    });
  }

  it('biginteger takes whole numbers of any size', () => {
    assert.equal(
      convert('BigInteger', '123456789012345678901234567890'),
      123456789012345678901234567890n,
    );
    assert.equal(convert('java.math.BigInteger', '7'), 7);
    refuses('oql/parameter-type', () => convert('bigint', '1.5'));
    refuses('oql/parameter-type', () => convert('bigint', '1'.repeat(5000)));
  });

  it('double takes any number a double can hold', () => {
    assert.deepEqual(convert('double', '110'), new Double(110));
    assert.deepEqual(convert('Double', '"1.5e3"'), new Double(1500));
    for (const json of ['1e999', '"x"', '""', '"NaN"', 'false', '"0x10"']) {
      refuses('oql/parameter-type', () => convert('double', json));
    }
  });

  it('float takes any number a float can hold', () => {
    assert.deepEqual(convert('java.lang.Float', '1.1'), new Float(1.1));
    refuses('oql/parameter-type', () => convert('float', '1e39'));
  });

  it('bigdecimal is a double, or an exact integer where a double would not do', () => {
    assert.deepEqual(convert('decimal', '10'), new Double(10));
    assert.deepEqual(convert('bigdecimal', '"10.25"'), new Double(10.25));
    assert.equal(convert('decimal', '9007199254740993'), 9007199254740993n);
  });

  it('boolean takes true and false, as such or as text', () => {
    assert.equal(convert('boolean', 'true'), true);
    assert.equal(convert('boolean', '"FALSE"'), false);
    refuses('oql/parameter-type', () => convert('boolean', '1'));
  });

  it('string takes strings only, and takes them as they are', () => {
    assert.equal(convert('string', '" /orders \\u00e9"'), ' /orders é');
    refuses('oql/parameter-type', () => convert('string', '5'));
  });

  it('char takes one character', () => {
    assert.deepEqual(convert('character', '" "'), new Char(' '));
    for (const json of ['""', '"ab"', '5'])
      refuses('oql/parameter-type', () => convert('char', json));
  });

  it('date takes milliseconds, literals and ISO 8601', () => {
    assert.deepEqual(convert('date', '1000'), new Temporal('instant', 1000));
    const local = new Date(2024, 0, 31).getTime();
    assert.deepEqual(convert('java.util.Date', '"2024-01-31"'), new Temporal('date', local, 0));
    const stamp = convert('date', '"2024-01-31 00:00:00.5"');
    assert.ok(stamp instanceof Temporal && stamp.epochMs === local + 500);
    const instant = Date.UTC(2024, 0, 31, 12);
    assert.deepEqual(convert('date', '"2024-01-31T12:00:00Z"'), new Temporal('instant', instant));
    for (const json of ['"yesterday"', '"2024-13-01"', '"2024-13-01T00:00:00Z"', '1e99', 'true']) {
      refuses('oql/parameter-type', () => convert('date', json));
    }
    refuses('oql/parameter-type', () => convert('date', '99999999999999999'));
  });

  it('null takes null or nothing', () => {
    assert.equal(convert('null'), null);
    assert.equal(convert('null', 'null'), null);
    refuses('oql/parameter-type', () => convert('null', '1'));
  });

  it('every type may be null', () => assert.equal(convert('int', 'null'), null));

  it('unknown is refused, with the nearest name', () => {
    assert.equal(
      refuses('oql/parameter-type', () => convert('intt', '5')).hint,
      'Did you mean int?',
    );
    const { hint } = refuses('oql/parameter-type', () => convert('java.util.Widget', '5'));
    assert.match(hint ?? '', /^The types are byte, short/u);
    refuses('oql/parameter-type', () => bind('$1', [{ json: '5' }]));
  });

  it('int without a value is refused at its position in the query', () => {
    const error = refuses('oql/parameter-type', () => bind('1 = $1', [{ type: 'int ' }]));
    assert.equal(error.position.column, 5);
  });
});

describe('the number of parameters', () => {
  const five = { type: 'int', json: '5' };

  it('must be the highest number used', () => {
    assert.deepEqual(bind('$2 = $2', [five, five]), [5, 5]);
    refuses('oql/parameter-count', () => bind('$2 = $2', [five]));
    refuses('oql/parameter-count', () => bind('$2 = $1', [five, five, five]));
    refuses('oql/parameter-count', () => bind('1 = 1', [five]));
    assert.deepEqual(bind('1 = 1', []), []);
  });

  it('is reported by name where placeholders have names', () => {
    const query = 'SET(:a, $1, :b, :a)';
    const named = (name: string, json: string) => ({ name, type: 'int', json });
    assert.deepEqual(bind(query, [named('b', '2'), five, named('a', '1')]), [5, 1, 2]);
    assert.deepEqual(bind(query, [five, five, five]), [5, 5, 5]);
    refuses('oql/parameter-count', () => bind(query, [named('b', '2'), five]));
    refuses('oql/parameter-count', () => bind(query, [named('a', '1'), named('b', '2')]));
    const twice = [five, named('a', '1'), named('a', '1'), named('b', '2')];
    refuses('oql/parameter-count', () => bind(query, twice));
    const unknown = [five, named('a', '1'), named('b', '2'), named('c', '3')];
    refuses('oql/parameter-count', () => bind(query, unknown));
    refuses('oql/parameter-count', () => bind(query, []));
  });

  it('is reported for values with names apart from those without', () => {
    const named = { name: 'a', type: 'int', json: '1' };
    const refusal = (query: string, values: Parameters<typeof bind>[1], message: RegExp): void => {
      assert.throws(() => bind(query, values), message);
    };
    refusal('$1', [named], /^OqlError: The query has no placeholder :a /u);
    const missing =
      /^OqlError: The query has 1 numbered placeholder, but 0 values without a name were given /u;
    refusal('SET(:a, $1)', [named], missing);
  });
});
