// Lines whose expected result differs from ours, each with the rule that explains it.

const ORDER_FREE = 'AND and OR are order-free: FALSE AND a failure is FALSE';
const EXTENSION = 'the construct, refused by the original, is one of our extensions';

const NO_METHOD = 'a method that is not there is an error, not UNDEFINED';

const EMPTY_AVERAGE = 'an average of no values is null, as the other aggregates are';

export const EXCEPTIONS: ReadonlyMap<string, string> = new Map([
  ['oql-0124', ORDER_FREE],
  ['oql-0773', NO_METHOD],
  ['oql-0777', NO_METHOD],
  ['oql-0802', EXTENSION], // EXISTS
  ['oql-0810', EXTENSION], // EXCEPT
  ['oql-0813', EXTENSION], // ALL
  ['oql-0814', EXTENSION], // SOME
  ['oql-0848', EXTENSION], // IS NULL
  ['oql-0850', EXTENSION], // NOT IN
  ['oql-0851', EXTENSION], // NOT LIKE
  ['oql-0854', EXTENSION], // OFFSET
  ['oql-0967', EMPTY_AVERAGE],
]);
