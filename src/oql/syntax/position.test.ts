import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { excerptAt, positionAt, spanOf } from './position.ts';

describe('positionAt', () => {
  it('counts lines and columns from one', () => {
    assert.deepEqual(positionAt('abc', 0), { offset: 0, line: 1, column: 1 });
    assert.deepEqual(positionAt('abc', 3), { offset: 3, line: 1, column: 4 });
  });

  it('accepts LF, CR and CR LF as line ends', () => {
    const text = 'a\nb\rc\r\nd';
    assert.deepEqual(positionAt(text, text.indexOf('b')), { offset: 2, line: 2, column: 1 });
    assert.deepEqual(positionAt(text, text.indexOf('c')), { offset: 4, line: 3, column: 1 });
    assert.deepEqual(positionAt(text, text.indexOf('d')), { offset: 7, line: 4, column: 1 });
  });

  it('finds every location that a walk over the text finds', () => {
    const text = '\n\r\r\na\n\nb\r\r\n\n\rc\r\n';
    let [line, column] = [1, 1];
    for (let offset = 0; offset <= text.length; offset++) {
      assert.deepEqual(positionAt(text, offset), { offset, line, column });
      const isCrLf = text.charAt(offset) === '\r' && text.charAt(offset + 1) === '\n';
      const endsLine = '\r\n'.includes(text.charAt(offset)) && !isCrLf;
      [line, column] = endsLine ? [line + 1, 1] : [line, column + 1];
    }
  });
});

describe('excerptAt', () => {
  const excerpt = (text: string, offset: number) => excerptAt(text, positionAt(text, offset));

  it('shows the line with a caret under the position', () => {
    assert.equal(excerpt('one\ntwo three\nfour', 8), 'two three\n    ^');
  });

  it('keeps tabs, so that the caret is under its position', () => {
    assert.equal(excerpt('\ta\tb', 3), '\ta\tb\n\t \t^');
  });

  it('shows the end of the text as a position after it', () => {
    assert.equal(excerpt('abc', 3), 'abc\n   ^');
  });

  it('truncates long lines around the position', () => {
    const lines = excerpt(`${'a'.repeat(500)}X${'b'.repeat(500)}`, 500).split('\n');
    assert.deepEqual(
      lines.map((line) => line.length),
      [122, 62],
    );
    assert.equal(lines[0]?.charAt(61), 'X');
    assert.equal(lines[1]?.indexOf('^'), 61);
  });
});

describe('spanOf', () => {
  it('reaches from the first part to the last', () => {
    assert.deepEqual(spanOf({ start: 1, end: 2 }, { start: 5, end: 9 }), { start: 1, end: 9 });
  });
});
