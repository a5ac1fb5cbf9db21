/** Fewer than this prove nothing. */
const FEWEST = 3;

/** How often a property is tried: `npm test` runs a share of the times, `npm run test:long` all. */
export function shareOfRuns(runs: number): number {
  const share = Number(process.env['TEST_SHARE'] ?? 1);
  return Math.max(Math.min(runs, FEWEST), Math.ceil(runs * share));
}
