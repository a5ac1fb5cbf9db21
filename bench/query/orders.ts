// The data of the query benchmark: orders of about 340 bytes with 12 members, a nested object and an
// array of three items, and their customers. Computed from the row number, so that every store has the
// same rows.

export interface Order {
  readonly id: number;
  readonly customerId: number;
  readonly status: string;
  readonly channel: string;
  readonly orderDate: string;
  readonly contact: string;
  readonly total: number;
  readonly quantity: number;
  readonly city: string;
  readonly street: string;
  readonly items: readonly Item[];
}

interface Item {
  readonly sku: string;
  readonly qty: number;
  readonly price: number;
}

export interface Customer {
  readonly id: number;
  readonly name: string;
  readonly country: string;
  readonly vip: boolean;
}

export const CUSTOMERS = 50_000;

/** The region that is queried. */
export const ORDERS = 'orders';
/** The same entries in a region that no query ever loads. */
export const UNQUERIED_REGION = 'twins';

/** Sorts by row. */
export function keyOf(row: number): string {
  return String(row).padStart(8, '0');
}

const STATUSES = [
  'new',
  'paid',
  'packed',
  'shipped',
  'delivered',
  'returned',
  'cancelled',
  'lost',
  'held',
  'closed',
];
const CHANNELS = ['web', 'shop', 'phone', 'partner'];
const CITIES = [
  'Aachen',
  'Bergen',
  'Cadiz',
  'Delft',
  'Exeter',
  'Fulda',
  'Gent',
  'Huelva',
  'Izmir',
  'Jena',
];
const COUNTRIES = ['DE', 'NO', 'ES', 'NL', 'GB', 'BE', 'TR', 'FR'];
const FIRST = ['Ada', 'Bo', 'Cleo', 'Dev', 'Edda', 'Finn', 'Gro', 'Hal'];
const LAST = ['Almeida', 'Brandt', 'Castro', 'Dahl', 'Eriksen', 'Fischer', 'Garcia', 'Holm'];

/** A pseudo-random number from 0 to 2^32 - 1 that depends only on row and purpose. */
function noise(row: number, purpose: number): number {
  let x = Math.imul(row + 1, 0x9e3779b1) ^ Math.imul(purpose + 1, 0x85ebca6b);
  x = Math.imul(x ^ (x >>> 15), 0x2c1b3c6d);
  x = Math.imul(x ^ (x >>> 12), 0x297a2d39);
  return (x ^ (x >>> 15)) >>> 0;
}

function pick<T>(list: readonly T[], row: number, purpose: number): T {
  return list[noise(row, purpose) % list.length] as T; // the lists above are not empty
}

export function makeOrder(row: number): Order {
  const day = noise(row, 1) % 336;
  const date = `2026-${String(1 + Math.floor(day / 28)).padStart(2, '0')}-${String(1 + (day % 28)).padStart(2, '0')}`;
  return {
    id: row,
    customerId: noise(row, 2) % CUSTOMERS,
    status: pick(STATUSES, row, 3),
    channel: pick(CHANNELS, row, 4),
    orderDate: date,
    contact: `${pick(FIRST, row, 5)} ${pick(LAST, row, 6)} ${noise(row, 7) % 5000}`,
    total: (noise(row, 8) % 100_000) / 100,
    quantity: noise(row, 9) % 100,
    city: pick(CITIES, row, 10),
    street: `${1 + (noise(row, 11) % 300)} Main St`,
    items: [0, 1, 2].map((i) => ({
      sku: `S${noise(row, 20 + i) % 1000}`,
      qty: 1 + (noise(row, 30 + i) % 10),
      price: (noise(row, 40 + i) % 10_000) / 100,
    })),
  };
}

/** With `@type`, 12 members. */
export function orderJson(order: Order): string {
  const {
    id,
    customerId,
    status,
    channel,
    orderDate,
    contact,
    total,
    quantity,
    city,
    street,
    items,
  } = order;
  return JSON.stringify({
    '@type': 'org.example.Order',
    id,
    customerId,
    status,
    channel,
    orderDate,
    contact,
    total,
    quantity,
    priority: id % 5,
    shipping: { city, street },
    items,
  });
}

export function makeCustomer(row: number): Customer {
  return {
    id: row,
    name: `${pick(FIRST, row, 50)} ${pick(LAST, row, 51)}`,
    country: pick(COUNTRIES, row, 52),
    vip: noise(row, 53) % 10 === 0,
  };
}
