// Recorded queries with another result here, each with a reason from the table of differences in
// docs/oql.md.

interface Reason {
  /** How the row of the table begins. */
  readonly row: string;
  readonly because: string;
}

const REASONS = {
  integers: { row: 'integers', because: 'integers are exact, of any size' },
  infinities: { row: 'NaN and the infinities', because: 'NaN and the infinities print as null' },
  likeMissing: {
    row: 'missing member in `LIKE`',
    because: 'a missing member never matches a pattern',
  },
  likeDollar: { row: '`$` in a `LIKE` pattern', because: 'a dollar in a pattern is a dollar' },
  sameName: {
    row: 'same field name twice in a struct',
    because: 'a repeated field name gets a number',
  },
  order: {
    row: '`ORDER BY` of a path that is not projected',
    because: 'rows are sorted by ORDER BY',
  },
  rowOrder: {
    row: 'order of rows without `ORDER BY`',
    because: 'rows are in the order of their keys',
  },
  averages: { row: '`SUM`, `AVG` of fractions', because: 'sums and averages are doubles' },
  extremes: {
    row: '`MIN`, `MAX` over integers and doubles',
    because: 'integers and doubles have an order',
  },
  dates: { row: 'dates in results', because: 'dates print as in their literals' },
  unknownMethod: {
    row: 'an unknown method',
    because: 'an unknown method is an error',
  },
  javaMethods: {
    row: 'Java methods of domain classes',
    because: 'only the methods of a closed table can be called',
  },
  chars: { row: "`'abc'[0]`, `toCharArray()`", because: 'a char prints as a text' },
  documents: {
    row: "a document's `['name']`, `getName()`, `toString()`, `.keySet`",
    because: 'documents have methods',
  },
  toArray: { row: '`/region.toArray` as a whole query', because: 'it is a collection' },
  attributes: {
    row: '`name.length` without parentheses',
    because: 'a method without arguments needs no parentheses',
  },
  types: {
    row: 'names of types of bind parameters',
    because: 'more type names are known, with or without a package',
  },
  nullParameter: { row: 'a bind parameter that is null', because: 'null is a value of any type' },
  numberAsString: {
    row: '`"@type": "string"` with a number',
    because: 'a value must be of its stated type',
  },
  doubleQuotes: {
    row: 'a text in double quotes',
    because: 'a name in double quotes that no document has is refused',
  },
  entries: { row: 'entries of a region in results', because: 'entries print as key and value' },
} as const satisfies Record<string, Reason>;

export const REASON_ROWS: readonly string[] = Object.values(REASONS).map(({ row }) => row);

const lines: readonly (readonly [keyof typeof REASONS, readonly string[]])[] = [
  ['integers', ['own-0136', 'own-0138', 'own-0157', 'own-0161', 'own-0162', 'own-0171']],
  ['infinities', ['own-0132', 'own-0133', 'own-0402']],
  ['likeMissing', ['own-0211', 'own-0212', 'own-0231']],
  ['likeDollar', ['own-0221', 'own-0222']],
  ['sameName', ['own-0302', 'own-0311', 'own-0336', 'own-0337', 'own-0386']],
  ['order', ['own-0323', 'own-0327', 'SELECT c.age FROM /cus c WHERE c.age > 0 ORDER BY c.name']],
  ['rowOrder', ['own-0287', 'own-0353']],
  ['averages', ['own-0382', 'own-0383', 'own-0411', 'own-0412', 'own-0418']],
  ['extremes', ['own-0417']],
  ['dates', ['own-0436']],
  ['unknownMethod', ['own-0467']],
  ['javaMethods', ['own-0468']],
  ['chars', ['own-0296', 'own-0487']],
  ['documents', ['own-0476']],
  ['toArray', ['own-0516']],
  [
    'attributes',
    [
      'own-0563',
      'SELECT c.name.length FROM /cus c',
      'SELECT c.name.toUpperCase FROM /cus c WHERE c.id=1',
      'SELECT c.name.isEmpty FROM /cus c WHERE c.id=1',
      'SELECT c.id FROM /cus c WHERE c.name.isEmpty = false',
    ],
  ],
  ['types', ['own-0567', 'own-0576', 'own-0577', 'own-0578', 'own-0582', 'own-0592', 'own-0593']],
  ['nullParameter', ['own-0591']],
  ['numberAsString', ['own-0611']],
  ['doubleQuotes', ['own-0366']],
  ['entries', ["SELECT * FROM /cus.entries e, e.value.tags t WHERE e.key='3'"]],
];

/** By the id of the line, or by its text where several lines share an id. */
export const DIFFERENCES: ReadonlyMap<string, Reason> = new Map(
  lines.flatMap(([reason, labels]) => labels.map((label) => [label, REASONS[reason]] as const)),
);
