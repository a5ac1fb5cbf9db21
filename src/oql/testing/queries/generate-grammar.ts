// Random texts that cover the whole grammar: any expression can be an operand, and names have no
// meaning. Operands are in parentheses, so that each text has one parse.

import type { Choices } from './choices.ts';
import { condition, value } from './generate-expression.ts';
import { generateQuery } from './generate-query.ts';
import { aggregate, grouped, limit, plain } from './generate-select.ts';
import type { Scope } from './query-scope.ts';

/** Nesting depth of expressions. */
const DEEPEST = 3;

/** Plain names, names that need quotes, and words that are keywords elsewhere. */
const NAMES = [
  ...['a', 'b', 'Map$Entry', 'größe', '"type"', '"select"', '"@type"', '"dash-name"', '"a b"'],
  ...['"case"', '"when"', '"then"', '"else"', '"end"', '"between"', '"is"', '"offset"', '"join"'],
  ...['"left"', '"on"', '"with"', '"nulls"', '"ilike"'],
];

const LITERALS = [
  ...['NULL', 'UNDEFINED', 'TRUE', 'FALSE', '0', '7', '-7', '010', '-2147483648', '5L', '-5L'],
  ...['1.5', '-1.5', '1.', '5d', '1e3', '2.5f', '-2f', "'text'", "'it''s'", "''", "CHAR '-'"],
  ...["DATE '2024-02-29'", "TIME '10:20:30'", "TIMESTAMP '2024-02-29 10:20:30.5'"],
];

const REGIONS = ['/r', '/root/sub', '/a-b:c', "/'any text'", "/'it''s'/x"];
const PARAMETERS = ['$1', '$9', ':p', ':größe'];

/** A whole text; its types are imported, for a cast to an unknown one may be an operand as well. */
export function generateProgram(choices: Choices): string {
  const trace = choices.of('', '<TRACE> ');
  const query = choices.of(
    () => select(choices, DEEPEST),
    () => operand(choices, DEEPEST),
    () => generateQuery(choices),
  );
  return `${trace}IMPORT a.T; IMPORT a."type".X AS U; ${query()}`;
}

function scopeOf(nesting: number): Scope {
  return {
    documents: ['a', '"a b"'],
    items: [],
    parts: [],
    operand: (choices) => operand(choices, nesting - 1),
    names: NAMES,
  };
}

function operand(choices: Choices, nesting: number): string {
  if (nesting <= 0 || choices.chance(30)) return leaf(choices);
  const scope = scopeOf(nesting);
  const some = (): string => operand(choices, nesting - 1);
  switch (choices.below(9)) {
    case 0:
    case 1:
      return `(${value(choices, scope, 2)})`;
    case 2:
    case 3:
      return `(${condition(choices, scope, 1)})`;
    case 4:
      return `(${select(choices, nesting - 1)})`;
    case 5:
      return `((${type(choices, 2)}) ${some()})`;
    case 6:
      return `(${aggregate(choices, scope)})`;
    case 7:
      return postfix(choices, some);
    default:
      return prefix(choices, some);
  }
}

function leaf(choices: Choices): string {
  return choices.of(
    choices.of(...NAMES),
    `(${choices.of(...LITERALS)})`,
    choices.of(...PARAMETERS),
    `(${choices.of(...REGIONS)})`,
  );
}

function postfix(choices: Choices, some: () => string): string {
  const name = choices.of(...NAMES);
  return choices.of(
    `(${some()}).${name}`,
    `(${some()}).${name}(${list(choices, some)})`,
    `(${some()})[${some()}]`,
  );
}

function prefix(choices: Choices, some: () => string): string {
  return choices.of(
    `${choices.of(...NAMES)}(${list(choices, some)})`,
    `ELEMENT(${some()})`,
    `SET(${list(choices, some)})`,
    `(${choices.of('UPPER', 'MOD', 'TO_DATE', 'CURRENT_DATE')}(${list(choices, some)}))`,
    `(${some()} ${choices.of('BETWEEN', 'NOT BETWEEN')} ${some()} AND ${some()})`,
    `(${some()} ${choices.of('IN', 'NOT IN')} ${some()})`,
    `(${some()} ${choices.of('LIKE', 'NOT LIKE', 'ILIKE', 'NOT ILIKE')} ${some()})`,
    `(CASE (${some()}) WHEN ${some()} THEN ${some()} WHEN ${some()} THEN ${some()} ELSE ${some()} END)`,
  );
}

/** None to three. */
function list(choices: Choices, some: () => string): string {
  return Array.from({ length: choices.below(4) }, some).join(', ');
}

function select(choices: Choices, nesting: number): string {
  const scope = scopeOf(nesting);
  const count = 1 + choices.below(3);
  const from = Array.from({ length: count }, (_, at) => {
    // Without a name, `(a) ON (b)` would be a cast of a call.
    const name = count > 1 || choices.chance(50) ? ` AS ${choices.of(...NAMES)}` : '';
    const typed = choices.chance(30) ? ` TYPE ${type(choices, 2)}` : '';
    const iterator = `${operand(choices, nesting - 1)}${name}${typed}`;
    if (at === 0) return iterator;
    if (choices.chance(50)) return `, ${iterator}`;
    return ` ${choices.of('JOIN', 'LEFT JOIN')} ${iterator} ON ${condition(choices, scope, 1)}`;
  });
  const where = choices.chance(50) ? ` WHERE ${condition(choices, scope, 2)}` : '';
  const hints = choices.of('', '', "<HINT 'byId'> ", "<HINT 'byId', 'it''s'> ");
  const body = choices.of(plain, grouped)(choices, scope, `FROM ${from.join('')}${where}`);
  const text = `${hints}${body}`;
  if (nesting <= 0 || choices.chance(80)) return text;
  const other = select(choices, 0);
  const operation = choices.of('UNION', 'UNION ALL', 'EXCEPT', 'INTERSECT');
  return choices.of(
    `(${text}) ${operation} (${other})${limit(choices, scope)}`,
    `WITH t AS (${other}) ${text}`,
  );
}

function type(choices: Choices, depth: number): string {
  const plainType = choices.of('T', 'U', 'int', 'string', 'Object');
  if (depth === 0 || choices.chance(50)) return plainType;
  return choices.chance(60)
    ? `${choices.of('set', 'collection', 'list', 'array')}<${type(choices, depth - 1)}>`
    : `${choices.of('map', 'dictionary')}<${type(choices, depth - 1)}, ${type(choices, depth - 1)}>`;
}
