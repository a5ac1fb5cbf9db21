/** Fewer runs than this would prove nothing. */
const FEWEST = 3;

/** Number of runs of a property: a share of them in `npm test`, all in `npm run test:long`. */
export function shareOfRuns(runs: number): number {
  const share = Number(process.env['TEST_SHARE'] ?? 1);
  return Math.max(Math.min(runs, FEWEST), Math.ceil(runs * share));
}
