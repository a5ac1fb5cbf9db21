/** Fewer runs than this would prove nothing. */
const FEWEST = 3;

/** Number of runs of a property: a share of them in `npm test`, all in `npm run test:long`. */
export function shareOfRuns(runs: number): number {
  const share = Number(process.env['TEST_SHARE'] ?? 1);
  return Math.max(Math.min(runs, FEWEST), Math.ceil(runs * share));
}

/** The first of some kinds of one proof in `npm test`, all of them in `npm run test:long`. */
export function shareOfKinds<T>(kinds: readonly T[], count = 1): readonly T[] {
  return process.env['TEST_SHARE'] === undefined ? kinds : kinds.slice(0, count);
}

/**
 * The seed of all generated choices: constant by default, so that a commit passes or fails for good.
 * `npm run test:long` picks a new one.
 */
export function pickSeed(): number {
  return Number(process.env['TEST_SEED'] ?? 1);
}
