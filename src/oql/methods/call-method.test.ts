import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createSet } from '../../value/compare.ts';
import { Char, Double, Entry, type Value, ValueMap } from '../../value/value.ts';
import { OqlError, wholeQuery } from '../errors.ts';
import { runQuery } from '../reference/testing/run-query.ts';
import { prepareCall } from './call-method.ts';

const map = new ValueMap([new Entry('a', 1), new Entry(2, null)]);

function onMap(expression: string, ...others: readonly Value[]): Promise<Value> {
  return runQuery(expression, {}, [map, ...others]);
}

describe('a map, which only a bind parameter can be', () => {
  it('has the methods of a map', async () => {
    assert.equal(await onMap('($1).size'), 2);
    assert.equal(await onMap('($1).isEmpty()'), false);
    assert.deepEqual(await onMap('($1).keySet'), createSet(['a', 2]));
    assert.deepEqual(await onMap('($1).values()'), [1, null]);
    assert.deepEqual(await onMap('($1).entrySet'), createSet(map.entries));
    assert.equal(await onMap("($1).get('a')"), 1);
    assert.equal(await onMap('($1).get(2.0)'), null);
    assert.equal(await onMap("($1).containsKey('b')"), false);
    assert.equal(await onMap('($1).containsKey(2)'), true);
    assert.equal(await onMap('($1).containsValue(NULL)'), true);
  });

  it('is indexed by key, iterated and searched by entry', async () => {
    assert.equal(await onMap("$1['a']"), 1);
    assert.equal(await onMap('$1[$2]', new Double(2)), null);
    assert.equal(await onMap('$1[UNDEFINED]'), null);
    assert.deepEqual(await onMap('SELECT e.key FROM $1 e'), ['a', 2]);
    assert.equal(await onMap('$2 IN $1', new Entry('a', new Double(1))), true);
  });
});

describe('a region as a value', () => {
  it('finds values by key through its loaded entries', async () => {
    const regions = { r: { entries: [{ key: 'k', value: '{"n":1}' }] } };
    assert.equal(await runQuery("NVL(/r, 0)['k'].n", regions), 1);
    assert.equal(await runQuery("NVL(/r, 0)['x']", regions), null);
  });
});

describe('a method whose result would be too long', () => {
  it('fails', async () => {
    const text = 'x'.repeat(5000);
    const long = 'x'.repeat(9 * 1024 * 1024);
    await assert.rejects(runQuery('($1).concat($1)', {}, [long]), OqlError);
    for (const call of ["($1).replace('x', $1)", "($1).replace('', $1)"]) {
      await assert.rejects(
        runQuery(call, {}, [text]),
        (error) => error instanceof OqlError && error.code === 'oql/method-failed',
      );
    }
  });
});

describe('a method that takes a pattern', () => {
  it('compiles it once, however many texts it is applied to', () => {
    let reads = 0;
    const pattern = new Char('a');
    Object.defineProperty(pattern, 'unit', {
      get: () => {
        reads += 1;
        return 'a';
      },
    });
    const location = wholeQuery("x.matches('a')");
    const matches = prepareCall('matches', location);
    for (let row = 0; row < 100; row += 1) matches(`${row}`, [pattern]);
    assert.equal(reads, 1);
    assert.equal(matches('a', [pattern]), true);
    assert.equal(matches('a', ['b']), false);
    assert.equal(matches('a', [pattern]), true);
  });
});
