// The entries of the benchmark, computed from their number, so that store and bare server have the same
// ones without a transfer.

const STATUSES = ['open', 'paid', 'packed', 'shipped', 'delivered', 'returned'];
const CITIES = ['Graz', 'Linz', 'Porto', 'Gdansk', 'Turku', 'Bergen', 'Leuven', 'Zadar'];

export const REGION = 'entries';
/** The region that is read whole. */
export const SMALLER_REGION = 'hundred';

/** Sorts by number. */
export function makeKey(index: number): string {
  return `k${String(index).padStart(7, '0')}`;
}

/** About 340 bytes of compact JSON. */
export function makeValue(index: number): string {
  const mixed = Math.imul(index + 1, 2_654_435_761) >>> 0;
  const status = STATUSES[mixed % STATUSES.length] ?? '';
  const city = CITIES[(mixed >>> 8) % CITIES.length] ?? '';
  const cents = mixed % 100_000;
  const total = `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;
  const day = String(1 + (mixed % 28)).padStart(2, '0');
  return (
    `{"@type":"example.shop.Order","id":${index},"tracking":${1_152_921_504_606n + BigInt(mixed)},` +
    `"status":"${status}","placedOn":"2025-05-${day}","total":${total},` +
    `"shipTo":{"street":"${mixed % 90} Market Square","city":"${city}","country":"AT"},` +
    `"items":[{"sku":"SKU-${mixed % 997}","name":"Slate Chair","quantity":${mixed % 9},"price":130.0},` +
    `{"sku":"SKU-${mixed % 499}","name":"Bamboo Kettle","quantity":2,"price":26.5}]}`
  );
}
