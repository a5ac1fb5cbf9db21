// The queries of the benchmark in three languages, with their bars.

export interface Work {
  readonly name: string;
  readonly oql: string;
  readonly duckdb: string;
  /** `{x}` is replaced by the JSON column (text or jsonb). */
  readonly sqlite: string;
  /** Maximum of gridkeep's time divided by that of the other store. */
  readonly bars: { readonly duckdb: number; readonly jsonb: number };
}

export const work: readonly Work[] = [
  {
    name: 'count, two conditions',
    oql: "SELECT COUNT(*) FROM /orders o WHERE o.status = 'paid' AND o.quantity > 50",
    duckdb: "SELECT count(*) FROM orders WHERE status = 'paid' AND quantity > 50",
    sqlite:
      "SELECT count(*) FROM {orders} WHERE {x} ->> '$.status' = 'paid' AND {x} ->> '$.quantity' > 50",
    bars: { duckdb: 1.0, jsonb: 0.05 },
  },
  {
    name: 'filter 20 %, three projections',
    oql: 'SELECT o.id, o.status, o.total FROM /orders o WHERE o.quantity >= 80',
    duckdb: 'SELECT id, status, total FROM orders WHERE quantity >= 80',
    sqlite:
      "SELECT {x} ->> '$.id', {x} ->> '$.status', {x} ->> '$.total' FROM {orders} WHERE {x} ->> '$.quantity' >= 80",
    bars: { duckdb: 0.5, jsonb: 0.1 },
  },
  {
    name: 'nested array, an item that matches',
    oql: 'SELECT DISTINCT o.id FROM /orders o, o.items i WHERE i.qty >= 10 AND i.price > 90.0',
    duckdb:
      'SELECT id FROM orders WHERE len(list_filter(items, i -> i.qty >= 10 AND i.price > 90.0)) > 0',
    sqlite:
      "SELECT {x} ->> '$.id' FROM {orders} WHERE EXISTS (SELECT 1 FROM json_each({x}, '$.items') i WHERE i.value ->> '$.qty' >= 10 AND i.value ->> '$.price' > 90.0)",
    bars: { duckdb: 0.5, jsonb: 0.05 },
  },
  {
    name: 'GROUP BY a string, COUNT and SUM',
    oql: 'SELECT o.status, COUNT(*) AS n, SUM(o.total) AS total FROM /orders o GROUP BY o.status',
    duckdb: 'SELECT status, count(*) AS n, sum(total) AS total FROM orders GROUP BY status',
    sqlite:
      "SELECT {x} ->> '$.status' AS status, count(*), sum({x} ->> '$.total') FROM {orders} GROUP BY 1",
    bars: { duckdb: 1.0, jsonb: 0.05 },
  },
  {
    name: 'ORDER BY … LIMIT 10',
    oql: 'SELECT o.id, o.total FROM /orders o ORDER BY o.total DESC LIMIT 10',
    duckdb: 'SELECT id, total FROM orders ORDER BY total DESC LIMIT 10',
    sqlite:
      "SELECT {x} ->> '$.id', {x} ->> '$.total' FROM {orders} ORDER BY {x} ->> '$.total' DESC LIMIT 10",
    bars: { duckdb: 1.0, jsonb: 0.05 },
  },
  {
    name: "LIKE 'abc%'",
    oql: "SELECT COUNT(*) FROM /orders o WHERE o.contact LIKE 'Ada B%'",
    duckdb: "SELECT count(*) FROM orders WHERE contact LIKE 'Ada B%'",
    sqlite: "SELECT count(*) FROM {orders} WHERE {x} ->> '$.contact' LIKE 'Ada B%'",
    bars: { duckdb: 1.0, jsonb: 0.2 },
  },
  {
    name: "LIKE '%abc%'",
    oql: "SELECT COUNT(*) FROM /orders o WHERE o.contact LIKE '%ahl 12%'",
    duckdb: "SELECT count(*) FROM orders WHERE contact LIKE '%ahl 12%'",
    sqlite: "SELECT count(*) FROM {orders} WHERE {x} ->> '$.contact' LIKE '%ahl 12%'",
    bars: { duckdb: 1.0, jsonb: 0.2 },
  },
  {
    name: 'equi-join with customers, aggregated',
    oql: 'SELECT c.country, COUNT(*) AS n, SUM(o.total) AS total FROM /orders o, /customers c WHERE o.customerId = c.id GROUP BY c.country',
    duckdb:
      'SELECT c.country, count(*) AS n, sum(o.total) AS total FROM orders o JOIN customers c ON o.customerId = c.id GROUP BY c.country',
    sqlite:
      "SELECT c.x ->> '$.country', count(*), sum(o.{x} ->> '$.total') FROM {orders} o JOIN customers c ON c.id = o.{x} ->> '$.customerId' GROUP BY 1",
    bars: { duckdb: 1.0, jsonb: 0.2 },
  },
];
