import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { PAGE_SIZE, PagedDoubles, PagedWords } from './pages.ts';

const index = fc.oneof(
  fc.integer({ min: 0, max: 200 }),
  fc.integer({ min: 0, max: 5 * PAGE_SIZE }),
  fc.constantFrom(PAGE_SIZE - 1, PAGE_SIZE, 2 * PAGE_SIZE - 1, 2 * PAGE_SIZE),
);

describe('numbers in pages', () => {
  it('are those last set, and zero elsewhere', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(index, fc.nat())), index, (written, other) => {
        const words = new PagedWords();
        const expected = new Map<number, number>();
        for (const [at, value] of written) {
          words.set(at, value);
          expected.set(at, value);
        }
        for (const at of [...expected.keys(), other]) {
          assert.equal(words.at(at), expected.get(at) ?? 0);
        }
      }),
    );
  });

  it('do not change when the capacity grows', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(index, fc.double())), index, (written, size) => {
        const doubles = new PagedDoubles(-0);
        const expected = new Map<number, number>();
        for (const [at, value] of written) {
          doubles.set(at, value);
          expected.set(at, value);
        }
        doubles.growFirst(size);
        for (const [at, value] of expected) assert.ok(Object.is(doubles.at(at), value));
        for (let at = 0; at < size; at += 97) {
          if (!expected.has(at)) assert.ok(Object.is(doubles.at(at), -0));
        }
      }),
    );
  });

  it('are the same when they are joined', () => {
    const doubles = new PagedDoubles(-1);
    for (const at of [3, PAGE_SIZE - 1, 2 * PAGE_SIZE + 5]) doubles.set(at, at);
    for (const size of [1, 64, PAGE_SIZE, PAGE_SIZE + 1, 3 * PAGE_SIZE]) {
      const joining = doubles.join(size);
      let step = joining.next();
      while (step.done !== true) step = joining.next();
      for (let at = 0; at < size; at += 1) assert.equal(step.value[at], doubles.at(at));
    }
  });

  it('are in one array as long as they fit into the first page', () => {
    const words = new PagedWords();
    words.growFirst(100);
    words.first[99] = 7;
    words.growFirst(PAGE_SIZE + 1);
    assert.equal(words.at(99), 7);
    words.set(PAGE_SIZE, 8);
    assert.equal(words.first.length, PAGE_SIZE);
    assert.equal(words.at(PAGE_SIZE), 8);
  });

  it('allocate no pages that are not written', () => {
    const words = new PagedWords();
    words.set(50 * PAGE_SIZE, 1);
    assert.equal(words.at(50 * PAGE_SIZE), 1);
    assert.equal(words.at(20 * PAGE_SIZE), 0);
  });
});
