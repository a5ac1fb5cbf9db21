import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseBindParameters } from './bind-parameters.ts';

const LIMITS = { maxBodyBytes: 1000, maxJsonDepth: 10 };
const parse = (json: string): ReturnType<typeof parseBindParameters> =>
  parseBindParameters(Buffer.from(json), LIMITS);

test('values are read by the rules of Java', async () => {
  for (const [type, value, json] of [
    ['int', '30', '30'],
    ['INT', '"+1"', '1'],
    ['long', '9007199254740993', '9007199254740993'],
    ['double', '"1d"', '1'],
    ['double', '30', '30'],
    ['boolean', '"yes"', 'false'],
    ['boolean', 'true', 'true'],
    ['string', '30', '"30"'],
  ] as const) {
    const [parameter] = await parse(`[{"@type":"${type}","@value":${value}}]`);
    assert.deepEqual(parameter, { name: undefined, type: type.toLowerCase(), json });
  }
  assert.deepEqual(await parse('[null]'), [{ name: undefined, type: 'null', json: 'null' }]);
  assert.equal((await parse('{}')).length, 1);
});

test('invalid values are refused with the messages of Geode', async () => {
  const illegal = 'Server has encountered error (illegal or inappropriate arguments).';
  const unable = 'Server unable to process bind params specified as JSON document in the request!';
  for (const [json, message] of [
    ['[', 'Json document specified in request body is not valid!'],
    ['5', 'Json document specified in request body is not valid!'],
    ['[1]', unable],
    ['[{"@type":"int","@value":[1]}]', unable],
    ['[{"@type":"byte","@value":128}]', illegal],
    ['[{"@type":"int","@value":30.5}]', illegal],
    ['[{"@type":"float","@value":"x"}]', illegal],
    ['[{"@type":"integer","@value":1}]', 'Class (integer) could not be found!'],
  ] as const) {
    await assert.rejects(parse(json), { message }, json);
  }
});
