import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { EventParser, type ServerEvent } from './event-stream.ts';

const STREAM =
  'retry: 2000\nid: 4\n\nevent: put\ndata: a\n\nevent: put\r\nid: 5\r\ndata: b\r\ndata: c\r\n\r\n' +
  ': heartbeat\nid: 6\n\nid: 7\ndata: d\n\n';
const EVENTS: readonly ServerEvent[] = [
  { name: 'put', data: 'a', lastId: '4', hasId: false },
  { name: 'put', data: 'b\nc', lastId: '5', hasId: true },
  { name: 'message', data: 'd', lastId: '7', hasId: true },
];

test('events are the same however the stream is split into pieces', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(STREAM.length), { maxLength: 6 }), (cuts) => {
      const parser = new EventParser();
      const ends = [...cuts.sort((a, b) => a - b), STREAM.length];
      const pieces = ends.map((end, i) => STREAM.slice(ends[i - 1] ?? 0, end));
      assert.deepEqual(
        pieces.flatMap((piece) => parser.push(piece)),
        EVENTS,
      );
      assert.equal(parser.retryMs, 2000);
    }),
  );
});

test('a stream that breaks off inside an event resumes before that event', () => {
  for (const part of ['id: 5\n', 'event: put\nid: 5\ndata: {"n"', 'id: 5\ndata: {"n":1}\n']) {
    const parser = new EventParser();
    assert.deepEqual(parser.push(`id: 4\n\n${part}`), []);
    assert.equal(parser.lastId, '4');
    parser.push('\n\n');
    assert.equal(parser.lastId, '5');
  }
});
