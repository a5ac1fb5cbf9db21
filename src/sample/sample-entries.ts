// The entries of the sample grid: a shop with customers, catalogue items and
// orders. They show what plain JSON handling loses: 64-bit numbers beyond 2^53,
// doubles that are whole (`20.0`), `@type` on outer and nested objects, dates as
// text. Values are made as text, since `JSON.stringify` could print none of it.

import { createRandom, type Random } from './random.ts';

export interface SampleEntry {
  readonly key: string;
  /** Compact JSON. */
  readonly value: string;
}

export const CUSTOMER_COUNT = 500;
export const ITEM_COUNT = 200;
export const ORDER_COUNT = 3_000;

/** First of the 64-bit numbers: above 2^53, where a double no longer holds every integer. */
const FIRST_LEDGER_NUMBER = 9_007_199_254_740_993n;
const FIRST_TRACKING_NUMBER = 1_152_921_504_606_846_977n;

// biome-ignore format: a block of words reads better than a column
const GIVEN_NAMES = [
  'Amara', 'Bjorn', 'Chiara', 'Dmitri', 'Elif', 'Farid', 'Greta', 'Hana', 'Ines', 'Jonas',
  'Kofi', 'Lucía', 'Mei', 'Noor', 'Olga', 'Piotr', 'Ravi', 'Saoirse', 'Tomás', 'Yuki',
] as const;
// biome-ignore format: a block of words reads better than a column
const FAMILY_NAMES = [
  'Abe', 'Berg', 'Costa', 'Demir', 'Eriksen', 'Fischer', 'García', 'Haddad', 'Ivanova', 'Jensen',
  'Kaya', 'Lindqvist', 'Mensah', 'Novak', "O'Brien", 'Petrov', 'Rossi', 'Singh', 'Tanaka', 'Weber',
] as const;
type City = readonly [name: string, country: string];
// biome-ignore format: a block of words reads better than a column
const CITIES: readonly [City, ...City[]] = [
  ['Lisbon', 'PT'], ['Oslo', 'NO'], ['Zürich', 'CH'], ['Kraków', 'PL'], ['Galway', 'IE'],
  ['Valencia', 'ES'], ['Lyon', 'FR'], ['Trieste', 'IT'], ['Graz', 'AT'], ['Aarhus', 'DK'],
];
const STREETS = [
  'Harbour Road',
  'Mill Lane',
  'Station Street',
  'Elm Walk',
  'Market Square',
] as const;
const MATERIALS = ['Oak', 'Steel', 'Linen', 'Glass', 'Copper', 'Wool', 'Bamboo', 'Slate'] as const;
const THINGS = ['Lamp', 'Kettle', 'Chair', 'Shelf', 'Blanket', 'Bowl', 'Clock', 'Basket'] as const;
const STATUSES = ['placed', 'paid', 'shipped', 'delivered', 'delivered', 'returned'] as const;
const TIERS = ['standard', 'standard', 'silver', 'gold'] as const;

interface CatalogueItem {
  readonly sku: string;
  readonly name: string;
  readonly cents: number;
}

/** Keys are the customer numbers, from 1001. */
export function makeCustomers(): readonly SampleEntry[] {
  const random = createRandom(11);
  return repeat(CUSTOMER_COUNT, (i) => {
    const id = 1001 + i;
    const name = `${random.pick(GIVEN_NAMES)} ${random.pick(FAMILY_NAMES)}`;
    return entry(String(id), [
      ['@type', text('example.shop.Customer')],
      ['id', String(id)],
      ['ledgerNumber', String(FIRST_LEDGER_NUMBER + BigInt(i) * 7n)],
      ['name', text(name)],
      ['tier', text(random.pick(TIERS))],
      ['creditLimit', money(random.between(1, 40) * 25_000)],
      ['memberSince', text(date(random.between(0, 2_000)))],
      ['address', address(random)],
      // Some never gave one: a member that is missing, not null.
      ...(random.between(0, 9) === 0
        ? []
        : [['email', text(`customer${id}@shop.example`)] as const]),
    ]);
  });
}

/** Keys are the SKUs, `SKU-0001` and on. */
export function makeItems(): readonly SampleEntry[] {
  const random = createRandom(22);
  return makeCatalogue().map(({ cents, name, sku }) =>
    entry(sku, [
      ['@type', text('example.shop.CatalogueItem')],
      ['sku', text(sku)],
      ['name', text(name)],
      ['price', money(cents)],
      ['stock', String(random.between(0, 400))],
      ['discontinued', random.between(0, 12) === 0 ? 'true' : 'false'],
    ]),
  );
}

/** Keys are the order numbers, from 100001. */
export function makeOrders(): readonly SampleEntry[] {
  const random = createRandom(33);
  const catalogue = makeCatalogue();
  return repeat(ORDER_COUNT, (i) => makeOrder(100_001 + i, i, catalogue, random));
}

function makeOrder(
  id: number,
  index: number,
  catalogue: readonly CatalogueItem[],
  random: Random,
): SampleEntry {
  const lines = repeat(random.between(1, 5), () => ({
    item: catalogue[random.between(0, ITEM_COUNT - 1)],
    quantity: random.between(1, 12),
  }));
  let totalCents = 0;
  const items = lines.flatMap(({ item, quantity }) => {
    if (item === undefined) return [];
    totalCents += item.cents * quantity;
    return object([
      ['@type', text('example.shop.OrderItem')],
      ['sku', text(item.sku)],
      ['name', text(item.name)],
      ['quantity', String(quantity)],
      ['price', money(item.cents)],
    ]);
  });
  const status = random.pick(STATUSES);
  const placedDay = 1_400 + random.between(0, 700);
  const isUnderway = status !== 'placed' && status !== 'paid';
  return entry(String(id), [
    ['@type', text('example.shop.Order')],
    ['id', String(id)],
    ['trackingNumber', String(FIRST_TRACKING_NUMBER + BigInt(index) * 97n)],
    ['customerId', String(1001 + random.between(0, CUSTOMER_COUNT - 1))],
    ['status', text(status)],
    ['placedOn', text(date(placedDay))],
    ['shippedOn', isUnderway ? text(date(placedDay + random.between(1, 9))) : 'null'],
    ['total', money(totalCents)],
    ['shipTo', address(random)],
    ['items', `[${items.join(',')}]`],
  ]);
}

/** An order as one placed today; `index` is after those of the sample. */
export function makeActivityOrder(index: number, random: Random, today: Date): SampleEntry {
  const { key, value } = makeOrder(100_001 + index, index, makeCatalogue(), random);
  const placedOn = today.toISOString().slice(0, 10);
  return {
    key,
    value: value
      .replace(/"status":"\w+"/, '"status":"placed"')
      .replace(/"placedOn":"[^"]+"/, `"placedOn":"${placedOn}"`)
      .replace(/"shippedOn":(?:"[^"]+"|null)/, '"shippedOn":null'),
  };
}

/** Always the same, because it has its own seed. */
function makeCatalogue(): readonly CatalogueItem[] {
  const random = createRandom(44);
  return repeat(ITEM_COUNT, (i) => ({
    sku: `SKU-${String(i + 1).padStart(4, '0')}`,
    name: `${random.pick(MATERIALS)} ${random.pick(THINGS)}`,
    cents: random.between(4, 600) * 50,
  }));
}

function address(random: Random): string {
  const [city, country] = random.pick(CITIES);
  return object([
    ['@type', text('example.shop.Address')],
    ['street', text(`${random.between(1, 180)} ${random.pick(STREETS)}`)],
    ['city', text(city)],
    ['country', text(country)],
  ]);
}

type Member = readonly [name: string, json: string];

function entry(key: string, members: readonly Member[]): SampleEntry {
  return { key, value: object(members) };
}

function object(members: readonly Member[]): string {
  return `{${members.map(([name, json]) => `${text(name)}:${json}`).join(',')}}`;
}

function text(content: string): string {
  return JSON.stringify(content);
}

/** Always with a fraction, so that it stays a double: `20.0`, `20.5`. */
function money(cents: number): string {
  const amount = cents / 100;
  return Number.isInteger(amount) ? `${amount}.0` : String(amount);
}

/** ISO 8601, counted from 1 January 2020. */
function date(day: number): string {
  return new Date(Date.UTC(2020, 0, 1 + day)).toISOString().slice(0, 10);
}

function repeat<T>(count: number, make: (index: number) => T): readonly T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}
