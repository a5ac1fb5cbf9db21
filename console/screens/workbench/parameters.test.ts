import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EMPTY_VALUE, toParameters, typeInto, whyNotSent } from './parameters.ts';

test('placeholders by number become a list, by name an object', () => {
  const number = { kind: 'number', text: '7' } as const;
  const text = { kind: 'text', text: 'a' } as const;
  assert.deepEqual(toParameters(['$1', '$3'], { $1: number, $3: text }), [7, '', 'a']);
  assert.deepEqual(toParameters([':a'], { ':a': { kind: 'null', text: '' } }), { a: null });
  assert.deepEqual(toParameters([':n'], { ':n': { kind: 'number', text: '9007199254740993' } }), {
    n: 9007199254740993n,
  });
  const list = { kind: 'list', text: '["a",3,9007199254740993]' } as const;
  assert.deepEqual(toParameters(['$1'], { $1: list }), [['a', 3, 9007199254740993n]]);
});

test('the kind follows the typed text until the user chooses one', () => {
  let value = EMPTY_VALUE;
  const kinds: string[] = [];
  for (const text of ['2', '2025', '2025-', '2025-09-25', '-', '-1.5']) {
    value = typeInto(value, text);
    kinds.push(value.kind);
  }
  assert.deepEqual(kinds, ['number', 'number', 'text', 'text', 'text', 'number']);
  const chosen = { kind: 'text', text: '', isChosen: true } as const;
  assert.deepEqual(typeInto(chosen, '7'), { ...chosen, text: '7' });
});

test('a value that cannot be sent has a reason', () => {
  assert.equal(whyNotSent({ kind: 'text', text: '' }), undefined);
  assert.match(whyNotSent({ kind: 'number', text: '' }) ?? '', /no number/);
  assert.match(whyNotSent({ kind: 'date', text: 'soon' }) ?? '', /2026/);
  assert.match(whyNotSent({ kind: 'list', text: 'a' }) ?? '', /"a"/);
});
