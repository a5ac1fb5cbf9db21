import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { diffJson } from './diff-json.ts';

function diff(before: string, after: string): string[] {
  return diffJson(before, after).map(
    ({ after, before, path }) => `${path}: ${before ?? '-'} > ${after ?? '-'}`,
  );
}

describe('differences of JSON', () => {
  it('are found member by member, in the digits of both', () => {
    assert.deepEqual(
      diff(
        '{"a":1.0,"b":{"c":9007199254740992},"d":[1,2],"e":1}',
        '{"a":1.00,"b":{"c":9007199254740993},"d":[1,3,4],"f":2}',
      ),
      [
        'a: 1.0 > 1.00',
        'b.c: 9007199254740992 > 9007199254740993',
        'd[1]: 2 > 3',
        'd[2]: - > 4',
        'e: 1 > -',
        'f: - > 2',
      ],
    );
  });

  it('are none between the same, and one between different kinds', () => {
    assert.deepEqual(diff('{"a":[1]}', ' {"a":[1]} '), []);
    assert.deepEqual(diff('{"a":{}}', '{"a":[]}'), ['a: {} > []']);
    assert.deepEqual(diff('[]', '{}'), [': [] > {}']);
  });
});
