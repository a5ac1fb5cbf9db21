import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BLOCK, type ReadRows, RowWindow } from './row-window.ts';

/** Rows `k000000`, `k000001`, …, read as the service gives them. */
function listOf(count: number) {
  const keys = Array.from({ length: count }, (_, i) => `k${String(i).padStart(7, '0')}`);
  let rowsRead = 0;
  const read: ReadRows = async ({ after, limit, order }) => {
    const at = after === undefined ? -1 : keys.indexOf(after);
    const left =
      order === 'asc'
        ? keys.slice(at + 1)
        : keys.slice(0, after === undefined ? undefined : at).reverse();
    const rows = left.slice(0, limit).map((key) => ({ key, version: 1, preview: undefined }));
    rowsRead += rows.length;
    return { rows, hasMore: left.length > rows.length };
  };
  return { keys, read, rowsRead: () => rowsRead };
}

/** Shows the rows, and waits until they are there. */
function showing(read: ReadRows, total: number) {
  let wake: () => void = () => undefined;
  const window = new RowWindow(read, total, () => wake());
  const show = async (first: number, last: number): Promise<void> => {
    window.show(first, last);
    for (;;) {
      if (window.failure !== undefined) return;
      if (window.row(first) !== undefined && window.row(last) !== undefined) return;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  return { window, show };
}

test('every row from the first to the last is shown, and few are held', async () => {
  const { keys, read } = listOf(20_000);
  const { show, window } = showing(read, keys.length);
  for (let first = 0; first < keys.length; first += 30) {
    const last = Math.min(first + 29, keys.length - 1);
    await show(first, last);
    for (let i = first; i <= last; i++) assert.equal(window.row(i)?.key, keys[i]);
    assert.ok(window.heldRows <= 11 * BLOCK, `${window.heldRows} rows are held`);
  }
});

test('a distant row is reached from the nearer side', async () => {
  const { keys, read, rowsRead } = listOf(30_000);
  const { show, window } = showing(read, keys.length);
  await show(0, 20);
  for (const index of [29_970, 15_000, 15_140, 200, 21_050]) {
    await show(index, index + 25);
    assert.equal(window.row(index)?.key, keys[index]);
    assert.equal(window.row(index + 25)?.key, keys[index + 25]);
  }
  const before = rowsRead();
  await show(29_970, 29_999);
  await show(15_000, 15_020);
  assert.ok(rowsRead() - before <= 4 * BLOCK, 'known positions are walked to again');
});

test('a wrong count is corrected', async () => {
  const { keys, read } = listOf(250);
  const more = showing(read, 200);
  await more.show(150, 199);
  assert.ok(more.window.total > 200);
  await more.show(200, 249);
  assert.equal(more.window.total, 250);
  const fewer = showing(read, 400);
  await fewer.show(210, 240);
  assert.equal(fewer.window.total, 250);
  assert.equal(fewer.window.row(240)?.key, keys[240]);
});

test('a failure is reported, and loading continues on request', async () => {
  const { keys, read } = listOf(300);
  let isBroken = true;
  const { show, window } = showing(async (request) => {
    if (isBroken) throw new Error('away');
    return read(request);
  }, keys.length);
  await show(0, 10);
  assert.match(String(window.failure), /away/);
  isBroken = false;
  window.retry();
  await show(0, 10);
  assert.equal(window.row(10)?.key, keys[10]);
});
