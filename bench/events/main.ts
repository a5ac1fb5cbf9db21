// npm run bench:events: the cost of change feeds, live queries, expiry and bulk loads. Only ratios count.
//
//   --quick      small regions and few commits: shows that it works, measures nothing
//   --only LIST  some of the parts: feed, live, expiry, bulk

import { parseArgs } from 'node:util';
import { measureBulk } from './bulk.ts';
import { measureExpiry } from './expiry.ts';
import { measureFeeds } from './feed-rows.ts';
import { measureLiveQueries } from './live-queries.ts';

const { values: options } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, only: { type: 'string' } },
});

/** Each part prints a separate table. */
const PARTS: Readonly<Record<string, () => Promise<string>>> = {
  feed: () => measureFeeds(options.quick ? 2 : 8),
  live: () =>
    measureLiveQueries(
      options.quick ? { documents: 1_000, commits: 50 } : { documents: 100_000, commits: 4_000 },
    ),
  expiry: () => measureExpiry(options.quick ? 1 : 6),
  bulk: () => (options.quick ? measureBulk(5_000, 1) : measureBulk(1_000_000, 3)),
};

const chosen = options.only?.split(',') ?? Object.keys(PARTS);
for (const name of chosen) {
  const part = PARTS[name];
  if (part === undefined) throw new Error(`${name} is none of ${Object.keys(PARTS).join(', ')}`);
  console.log(`\n${name}\n\n${await part()}`);
}
