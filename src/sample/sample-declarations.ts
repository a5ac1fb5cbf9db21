// The declarations of the sample grid, in the form of the config file: regions with an index, and
// one named query per feature worth showing.

export interface SampleDeclarations {
  readonly regions: readonly {
    readonly name: string;
    readonly type: 'PARTITION' | 'REPLICATE';
    readonly keyConstraint: string | null;
    readonly valueConstraint: string | null;
    readonly settings?: { readonly history: { readonly count: number } };
    readonly indexes: readonly {
      readonly name: string;
      readonly expression: string;
      readonly from: string;
      readonly kind: 'range' | 'hash';
    }[];
  }[];
  readonly queries: readonly { readonly id: string; readonly oql: string }[];
}

const QUERIES: SampleDeclarations['queries'] = [
  // Whole documents, newest first; $1 is a customer's id (int).
  {
    id: 'orders-of-customer',
    oql: 'SELECT o FROM /orders o WHERE o.customerId = $1 ORDER BY o.placedOn DESC',
  },
  // Into a nested list; $1 is a SKU (string), $2 a quantity (int).
  {
    id: 'orders-with-item',
    oql:
      'SELECT o.id AS orderId, o.status AS status, i.quantity AS quantity, i.price AS price ' +
      'FROM /orders o, o.items i WHERE i.sku = $1 AND i.quantity >= $2 ORDER BY o.id',
  },
  // Grouping; $1 is the first day that counts (string, ISO date).
  {
    id: 'revenue-by-status',
    oql:
      'SELECT o.status AS status, COUNT(*) AS orderCount, SUM(o.total) AS revenue ' +
      'FROM /orders o WHERE o.placedOn >= $1 GROUP BY o.status ORDER BY o.status',
  },
  // A join, then grouping; $1 is a city (string).
  {
    id: 'customers-in-city',
    oql:
      'SELECT c.id AS id, c.name AS name, COUNT(*) AS orderCount, SUM(o.total) AS spent ' +
      'FROM /customers c, /orders o WHERE o.customerId = c.id AND c.address.city = $1 ' +
      'GROUP BY c.id, c.name ORDER BY c.id',
  },
];

export const SAMPLE_DECLARATIONS: SampleDeclarations = {
  regions: [
    {
      name: 'customers',
      type: 'REPLICATE',
      keyConstraint: 'java.lang.Integer',
      valueConstraint: 'example.shop.Customer',
      indexes: [],
    },
    {
      name: 'items',
      type: 'REPLICATE',
      keyConstraint: null,
      valueConstraint: null,
      // Prices and stock as they were: `?at=` and `_history`.
      settings: { history: { count: 100_000 } },
      indexes: [],
    },
    {
      name: 'orders',
      type: 'PARTITION',
      keyConstraint: null,
      valueConstraint: null,
      indexes: [
        {
          name: 'orders-by-customer',
          expression: 'o.customerId',
          from: '/orders o',
          kind: 'range',
        },
      ],
    },
  ],
  queries: QUERIES,
};
