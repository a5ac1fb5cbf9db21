import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { jsonResponse, type ResponseBody, textResponse } from './api-response.ts';
import { prettyResponse } from './pretty-json.ts';

async function textOf(body: ResponseBody): Promise<string> {
  if (body === undefined) return '';
  if (typeof body === 'string') return body;
  if (body instanceof Uint8Array) return new TextDecoder().decode(body);
  const pieces: Buffer[] = [];
  for await (const piece of body) pieces.push(Buffer.from(piece as string)); // or bytes
  return Buffer.concat(pieces).toString();
}

async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

it('prints like JSON.stringify with an indent of two', async () => {
  const values = fc.jsonValue({ stringUnit: 'grapheme' });
  await fc.assert(
    fc.asyncProperty(values, async (value) => {
      const compact = JSON.stringify(value);
      const expected = `${JSON.stringify(value, null, 2)}\n`;
      assert.equal(await textOf(prettyResponse(jsonResponse(compact)).body), expected);
    }),
  );
});

it('prints a stream the same however it is split, also within a character', async () => {
  const compact = '{"é😀":["a\\"b\\\\",[],{},[[1.50]],{"x":{}}],"s":"{[,:]}"}';
  const expected = `${JSON.stringify(JSON.parse(compact), null, 2).replace('1.5', '1.50')}\n`;
  for (let size = 1; size < 12; size += 1) {
    const response = jsonResponse(inPieces(new TextEncoder().encode(compact), size));
    assert.equal(await textOf(prettyResponse(response).body), expected);
  }
});

it('leaves numbers as they are', async () => {
  const body = '[20.0,1E400,9007199254740993]';
  assert.equal(
    await textOf(prettyResponse(jsonResponse(body)).body),
    '[\n  20.0,\n  1E400,\n  9007199254740993\n]\n',
  );
});

it('leaves alone what is not JSON, and what has no body', () => {
  const text = textResponse('text/plain', '{"a":1}');
  assert.equal(prettyResponse(text), text);
  const empty = { status: 200, contentType: 'application/json', headers: [], body: undefined };
  assert.equal(prettyResponse(empty), empty);
});
