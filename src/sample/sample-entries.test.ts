import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { createRandom } from './random.ts';
import {
  CUSTOMER_COUNT,
  ITEM_COUNT,
  makeCustomers,
  makeItems,
  makeOrders,
  ORDER_COUNT,
} from './sample-entries.ts';

const customers = makeCustomers();
const items = makeItems();
const orders = makeOrders();

test('the sample has its entries, each with a different key', () => {
  for (const [entries, count] of [
    [customers, CUSTOMER_COUNT],
    [items, ITEM_COUNT],
    [orders, ORDER_COUNT],
  ] as const) {
    assert.equal(entries.length, count);
    assert.equal(new Set(entries.map(({ key }) => key)).size, count);
  }
});

test('every value is compact JSON with a type', () => {
  for (const { value } of [...customers, ...items, ...orders]) {
    const plain: Record<string, unknown> = JSON.parse(value);
    assert.equal(typeof plain['@type'], 'string');
    assert.doesNotMatch(value, /[\n\t]|": |, "/);
  }
});

test('the sample is the same each time it is generated', () => {
  const digest = (): string =>
    createHash('sha256')
      .update(JSON.stringify([makeCustomers(), makeItems(), makeOrders()]))
      .digest('hex');
  assert.equal(digest(), digest());
});

test('orders hold one to five typed items, an address, exact big numbers and whole doubles', () => {
  for (const { value } of orders) {
    const order = JSON.parse(value);
    assert.ok(order.items.length >= 1 && order.items.length <= 5);
    assert.ok(
      order.items.every(
        (item: Record<string, unknown>) => item['@type'] === 'example.shop.OrderItem',
      ),
    );
    assert.equal(order.shipTo['@type'], 'example.shop.Address');
    assert.match(order.placedOn, /^\d{4}-\d\d-\d\d$/);
    const tracking = /"trackingNumber":(\d+)/.exec(value)?.[1] ?? '0';
    assert.ok(BigInt(tracking) > 2n ** 53n);
  }
  assert.ok(
    orders.some(
      ({ value }) =>
        BigInt(/"trackingNumber":(\d+)/.exec(value)?.[1] ?? '0') !==
        BigInt(JSON.parse(value).trackingNumber),
    ),
  );
  assert.ok(orders.some(({ value }) => /"price":\d+\.0[,}]/.test(value)));
});

test('every order belongs to a customer, and every item of it to the catalogue', () => {
  const customerIds = new Set(customers.map(({ value }) => JSON.parse(value).id));
  const skus = new Set(items.map(({ key }) => key));
  for (const { value } of orders) {
    const order = JSON.parse(value);
    assert.ok(customerIds.has(order.customerId));
    assert.ok(order.items.every((item: { sku: string }) => skus.has(item.sku)));
  }
});

test('random numbers stay within their bounds and reach both', () => {
  const random = createRandom(1);
  const seen = new Set(Array.from({ length: 500 }, () => random.between(3, 6)));
  assert.deepEqual([...seen].sort(), [3, 4, 5, 6]);
});
