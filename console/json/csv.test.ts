import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CsvReader, findDelimiter, printCsvLine } from './csv.ts';

const TEXT = 'id,name\r\n1,"a ""b"", c"\r\n\r\n2,"two\r\nlines"\n3,""\n4,';

function readAll(text: string, pieceLength: number): string[][] {
  const reader = new CsvReader(',');
  const records: string[][] = [];
  const add = (found: ReturnType<CsvReader['take']>): void => {
    for (const record of found) {
      records.push(record.map((cell) => (cell.isQuoted ? `<${cell.text}>` : cell.text)));
    }
  };
  for (let at = 0; at < text.length; at += pieceLength) {
    add(reader.take(text.slice(at, at + pieceLength)));
  }
  add(reader.finish());
  return records;
}

describe('CSV', () => {
  it('is read the same in pieces of any length', () => {
    const expected = [
      ['id', 'name'],
      ['1', '<a "b", c>'],
      ['2', '<two\r\nlines>'],
      ['3', '<>'],
      ['4', ''],
    ];
    for (let length = 1; length <= TEXT.length; length += 1) {
      assert.deepEqual(readAll(TEXT, length), expected, `pieces of ${length}`);
    }
  });

  it('is refused with an open quote', () => {
    assert.throws(() => readAll('a,b\n1,"2', 100), /never closed/);
  });

  it('has the delimiter of its first line', () => {
    assert.equal(findDelimiter('a;b;c\n1,5;2;3'), ';');
    assert.equal(findDelimiter('"a;b;c",d\n'), ',');
    assert.equal(findDelimiter('a\tb'), '\t');
    assert.equal(findDelimiter('a'), ',');
  });

  it('is written so that it reads the same', () => {
    const cells = ['1.50', 'a "b"', 'x,y', 'two\nlines', ''];
    assert.deepEqual(
      readAll(printCsvLine(cells), 100)[0]?.map((cell) => cell.replace(/^<(.*)>$/s, '$1')),
      cells,
    );
  });
});
