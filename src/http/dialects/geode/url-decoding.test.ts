import assert from 'node:assert/strict';
import { test } from 'node:test';
import { QueryString } from '../../request/query-string.ts';
import { encodeFormValue, toAddress } from './addresses.ts';
import { listParameter, textParameter } from './parameters.ts';
import { decodeAgain, decodeParameter } from './url-decoding.ts';

test('escapes are UTF-8, a plus is a blank, and invalid bytes become U+FFFD', () => {
  assert.equal(decodeParameter('a+b%2Bc%C3%A9%20%E5%90%8D'), 'a b+cé 名');
  assert.equal(decodeParameter('%FFx'), '\ufffdx');
  assert.equal(decodeAgain('a%25'), 'a%');
});

test('a bad escape is reported with the message of Java', () => {
  for (const [text, reason] of [
    ['a%', 'Incomplete trailing escape (%) pattern'],
    ['a%2', 'Incomplete trailing escape (%) pattern'],
    ['%zz', 'Illegal hex characters in escape (%) pattern - Error at index 0 in: "zz"'],
    ['%1z', 'Illegal hex characters in escape (%) pattern - Error at index 1 in: "1z"'],
  ] as const) {
    assert.throws(() => decodeAgain(text), { message: `URLDecoder: ${reason}` });
    assert.throws(() => decodeParameter(text), { message: '400: Unable to parse URI query' });
  }
});

test('a list that is given once is split, one that is given several times is not', () => {
  const list = (query: string): readonly string[] | undefined =>
    listParameter(new QueryString(query), 'keys');
  assert.equal(list('limit=1'), undefined);
  assert.deepEqual(list('keys='), []);
  assert.deepEqual(list('keys=a,%20b%20,'), ['a', 'b', '']);
  assert.deepEqual(list('keys=a,b&keys=c'), ['a,b', 'c']);
  assert.equal(textParameter(new QueryString('op=PUT&op=CAS'), 'op'), 'PUT,CAS');
});

test('addresses do not escape characters that a path may contain', () => {
  const base = 'http://h/geode/v1';
  assert.equal(toAddress(base, 'r', ''), `${base}/r`);
  assert.equal(toAddress(base, 'r', "a/b;c,d'(e)*!~@:&=+$"), `${base}/r/a/b;c,d'(e)*!~@:&=+$`);
  assert.equal(
    toAddress(base, 'r', 'a b?c#d%e"<>[]{}|^`é'),
    `${base}/r/a%20b%3Fc%23d%25e%22%3C%3E%5B%5D%7B%7D%7C%5E%60%C3%A9`,
  );
  assert.equal(encodeFormValue("a b*c~d!e'(f)"), 'a+b*c%7Ed%21e%27%28f%29');
});
