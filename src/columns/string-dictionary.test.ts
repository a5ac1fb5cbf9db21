import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { StringDictionary } from './string-dictionary.ts';

const LARGE = 1 << 18;

describe('a dictionary of many strings', () => {
  it('finds all of them after its buffers grew', () => {
    const strings = new StringDictionary(6);
    const texts = Array.from({ length: 60_000 }, (_, at) => `string ${at} ${'x'.repeat(at % 17)}`);
    const ids = texts.map((text) => strings.internText(text));
    assert.equal(new Set(ids).size, texts.length);
    for (const [at, text] of texts.entries()) {
      const id = ids[at] ?? 0;
      assert.equal(strings.text(id), text);
      assert.equal(strings.findText(text), id);
    }
  });

  it('stores a string that is longer than the reserved capacity', () => {
    const strings = new StringDictionary(1);
    const texts = Array.from({ length: 30_000 }, (_, at) => `string number ${at}`);
    for (const text of texts) strings.internText(text);
    const long = 'y'.repeat(2 * LARGE);
    const id = strings.internText(long);
    assert.equal(strings.text(id), long);
    strings.trim();
    for (let at = 0; at < 30_000; at += 1) strings.internText(`more ${at}`);
    for (const [at, text] of texts.entries()) assert.equal(strings.text(at + 1), text);
    assert.equal(strings.text(id), long);
  });

  it('has no spare buffer after trim', () => {
    const strings = new StringDictionary(1);
    let at = -1;
    const isCopying = (): boolean =>
      strings.bytes.length > LARGE && (strings.ends[at + 1] ?? 0) > strings.bytes.length * 0.95;
    while (!isCopying()) {
      at += 1;
      strings.internText(`string number ${at}`);
    }
    const before = strings.sizeBytes();
    strings.trim();
    assert.equal(before - strings.sizeBytes(), Math.ceil(strings.bytes.length * 1.25));
    for (let next = 0; next <= at; next += 1) {
      assert.equal(strings.text(next + 1), `string number ${next}`);
    }
  });

  it('copies its ends in advance, and frees the copies when it is trimmed', () => {
    const strings = new StringDictionary(1);
    const texts = Array.from({ length: 150_000 }, (_, at) => at.toString(36));
    const isCopying = (): boolean =>
      strings.ends.length > 1 << 16 && strings.size > strings.ends.length * 0.95;
    let freed = 0;
    let next = 0;
    for (const text of texts) {
      strings.internText(text);
      next += 1;
      // Trimmed once, during a copy, which then has to start over.
      if (freed > 0 || !isCopying()) continue;
      const before = strings.sizeBytes();
      strings.trim();
      freed = before - strings.sizeBytes();
      assert.ok(freed >= strings.ends.byteLength * 2, `${freed} at ${next}`);
    }
    assert.ok(freed > 0);
    for (const [at, text] of texts.entries()) {
      assert.equal(strings.text(at + 1), text);
      assert.equal(strings.findText(text), at + 1);
    }
  });

  it('has only new strings after it was cleared, in the same memory', () => {
    const strings = new StringDictionary(0);
    const sizes: number[] = [];
    for (let round = 0; round < 3; round += 1) {
      const texts = Array.from({ length: 20_000 }, (_, at) => `round ${round} string ${at}`);
      const ids = texts.map((text) => strings.internText(text));
      for (const [at, id] of ids.entries()) {
        assert.equal(id, at);
        assert.equal(strings.text(id), texts[at]);
      }
      assert.equal(strings.findText(`round ${round - 1} string 7`), undefined);
      sizes.push(strings.sizeBytes());
      strings.clear();
      assert.equal(strings.findText(`round ${round} string 7`), undefined);
    }
    assert.equal(sizes[2], sizes[1]);
  });
});
