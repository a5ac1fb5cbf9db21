import assert from 'node:assert/strict';
import { it } from 'node:test';
import { accepts } from './accept.ts';

const JSON_TYPE = 'application/json';

it('admits everything when the header is absent or empty', () => {
  assert.equal(accepts(undefined, JSON_TYPE), true);
  assert.equal(accepts('', JSON_TYPE), true);
});

it('knows exact types, families and everything, in any letter case', () => {
  for (const accept of [
    JSON_TYPE,
    'application/*',
    '*/*',
    'Application/JSON',
    ' text/html , */* ',
  ]) {
    assert.equal(accepts(accept, JSON_TYPE), true, accept);
  }
  for (const accept of ['text/html', 'text/*', 'application/jsonp', '*', 'json', ',']) {
    assert.equal(accepts(accept, JSON_TYPE), false, accept);
  }
});

it('lets the most specific range decide, wherever it stands', () => {
  assert.equal(accepts('*/*, application/json;q=0', JSON_TYPE), false);
  assert.equal(accepts('application/json;q=0, */*', JSON_TYPE), false);
  assert.equal(accepts('application/*;q=0, application/json;q=0.1', JSON_TYPE), true);
  assert.equal(accepts('*/*;q=0, application/*', JSON_TYPE), true);
  assert.equal(accepts('application/json; charset=utf-8; q=0.000', JSON_TYPE), false);
});
