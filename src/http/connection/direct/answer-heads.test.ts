import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AnswerHeads, printLines } from './answer-heads.ts';

const heads = new AnswerHeads(5000);
/** The date may change between two heads. */
const withoutDate = (text: string): string => text.replace(/^Date: .*\r\n/m, '');

describe('AnswerHeads', () => {
  it('prints the head of a complete answer like any other', () => {
    const contentType = 'application/json';
    const own = ['ETag', '"7"'];
    const shared = ['Cache-Control', 'no-store'];
    const whole = heads.printWhole(
      { status: 200, contentType, headers: own, requestId: 'r-1', bodyBytes: 12 },
      printLines(shared),
    );
    const all = ['Content-Type', contentType, ...own, 'X-Request-Id', 'r-1', ...shared];
    const headers = [...all, 'Content-Length', '12'];
    const { closes, isChunked, text } = heads.print({ status: 200, headers, hasBody: true });
    assert.equal(withoutDate(whole), withoutDate(text));
    assert.match(
      whole,
      /^Date: .* GMT\r\nConnection: keep-alive\r\nKeep-Alive: timeout=5\r\n\r\n$/m,
    );
    assert.deepEqual([closes, isChunked], [false, false]);
  });

  it('lets no value inject a header', () => {
    const broken = ['ETag', 'a\r\nX-Other: b'];
    const none = { contentType: undefined, headers: [] };
    const whole = { status: 200, ...none, requestId: 'r', bodyBytes: 0 };
    assert.throws(() => heads.print({ status: 200, headers: broken, hasBody: true }), TypeError);
    assert.throws(() => heads.printWhole({ ...whole, headers: broken }, ''), TypeError);
    assert.throws(() => heads.printWhole({ ...whole, requestId: 'r\n' }, ''), TypeError);
  });
});
