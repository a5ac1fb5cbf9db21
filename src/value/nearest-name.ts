// "Did you mean": the known name that is closest to a misspelt one.

/** Longer names are not typed by hand, and the search takes quadratic time. */
const LONGEST_NAME = 100;

/** The nearest of the known names, or undefined when none is close enough. */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  if (name.length > LONGEST_NAME) return undefined;
  let nearest: string | undefined;
  // A third of the letters may be wrong; more than that is another word.
  let limit = Math.max(1, Math.floor(name.length / 3));
  const lowerCase = name.toLowerCase();
  for (const candidate of known) {
    if (Math.abs(lowerCase.length - candidate.length) > limit) continue;
    const distance = editDistance(lowerCase, candidate.toLowerCase(), limit);
    if (distance > limit) continue;
    nearest = candidate;
    if (distance === 0) break;
    limit = distance - 1;
  }
  return nearest;
}

/** The hint that names what may have been meant. */
export function didYouMean(name: string | undefined): string | undefined {
  return name === undefined ? undefined : `Did you mean ${name}?`;
}

/** Insertions, deletions, changes and swaps of neighbours; gives up above `limit`. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit || countForeign(a, b) > limit) return limit + 1;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const change = a[i - 1] === b[j - 1] ? 0 : 1;
      let cost = Math.min(cell(last, j) + 1, cell(row, j - 1) + 1, cell(last, j - 1) + change);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, cell(beforeLast, j - 2) + 1);
      }
      row.push(cost);
    }
    if (Math.min(...row) > limit) return limit + 1;
    beforeLast = last;
    last = row;
  }
  return cell(last, b.length);
}

/** Number of letters that the other word does not have: each takes one edit. */
function countForeign(word: string, other: string): number {
  let count = 0;
  for (let at = 0; at < word.length; at += 1) if (!other.includes(word.charAt(at))) count += 1;
  return count;
}

function cell(row: readonly number[], at: number): number {
  return row[at] ?? Number.POSITIVE_INFINITY;
}
