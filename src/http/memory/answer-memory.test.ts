import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RequestHead } from '../request/request-head.ts';
import { AnswerMemory, type StreamLimits } from './answer-memory.ts';
import { BodyMemory } from './body-memory.ts';

/** A request that a client at this address sent. */
function requestOf(remoteAddress: string): RequestHead {
  return { headers: {}, socket: { remoteAddress } } as unknown as RequestHead; // all that is read
}

async function* stream(): AsyncGenerator<string> {
  yield 'a';
}

function create(limits: StreamLimits): {
  readonly answers: AnswerMemory;
  readonly begin: (client: string) => RequestHead | undefined;
} {
  const answers = new AnswerMemory(new BodyMemory(2 ** 30), limits);
  const begin = (client: string): RequestHead | undefined => {
    const request = requestOf(client);
    return answers.admit(request, stream()) ? request : undefined;
  };
  return { answers, begin };
}

test('streams are admitted up to the total limit and up to that of their client', () => {
  const { answers, begin } = create({ maxStreams: 3, maxStreamsPerClient: 2 });
  const isAdmitted = ['a', 'a', 'a', 'b', 'b'].map((client) => begin(client) !== undefined);
  assert.deepEqual(isAdmitted, [true, true, false, true, false]);
  assert.equal(answers.streams, 3);
});

test('a stream that ends makes room for another, of its client too', () => {
  const { answers, begin } = create({ maxStreams: 2, maxStreamsPerClient: 1 });
  const first = begin('a');
  assert.ok(first !== undefined);
  assert.equal(begin('a'), undefined);
  answers.release(first, 1);
  assert.equal(answers.streams, 0);
  assert.ok(begin('a') !== undefined);
  assert.ok(begin('b') !== undefined);
  assert.equal(begin('c'), undefined);
});
