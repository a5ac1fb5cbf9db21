// The results of a run: one row per measurement, as a table, as Markdown and as JSON.

import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';
import { endProgress } from './progress.ts';

export interface Row {
  readonly id: string;
  readonly title: string;
  /** The measured figures as text. */
  readonly figure: string;
  readonly bar: string;
  readonly outcome: 'met' | 'MISSED' | 'skipped';
  readonly seed: number;
  readonly seconds: number;
  readonly details?: unknown;
}

interface Report {
  readonly title: string;
  readonly at: string;
  readonly commit: string;
  readonly machine: string;
  readonly rows: readonly Row[];
}

function createReport(title: string, rows: readonly Row[]): Report {
  const [first] = cpus();
  const gibibytes = Math.round(totalmem() / 2 ** 30);
  return {
    title,
    at: new Date().toISOString(),
    commit: readCommit(),
    machine: `${cpus().length} × ${first?.model ?? 'unknown'}, ${gibibytes} GiB, Node ${process.version}`,
    rows,
  };
}

function printMarkdown({ at, commit, machine, rows, title }: Report): string {
  const lines = rows.map(
    ({ bar, figure, id, outcome, seconds, seed, title: what }) =>
      `| ${id} | ${what} | ${figure} | ${bar} | ${outcome} | ${seed} | ${Math.round(seconds)} s |`,
  );
  return [
    `# ${title}`,
    '',
    `${at}, commit ${commit}, ${machine}`,
    '',
    '| Id | What | Figure | Bar | | Seed | Took |',
    '|---|---|---|---|---|---|---|',
    ...lines,
    '',
  ].join('\n');
}

/** Writes Markdown and JSON with this name into the folder of results. */
async function saveReport(report: Report, name: string): Promise<void> {
  const folder = new URL('../results/', import.meta.url);
  await mkdir(folder, { recursive: true });
  await writeFile(new URL(`${name}.json`, folder), JSON.stringify(report, null, 2));
  await writeFile(new URL(`${name}.md`, folder), printMarkdown(report));
}

/**
 * Measures and shows one row after another, and sets the exit code. Results are saved after every row, so
 * that a stopped run keeps them.
 */
export async function reportRows<Measured>(
  measured: readonly Measured[],
  toRow: (measured: Measured) => Promise<Row>,
  { name, title }: { readonly title: string; readonly name: string },
): Promise<void> {
  const rows: Row[] = [];
  for (const each of measured) {
    const row = await toRow(each);
    rows.push(row);
    endProgress();
    console.log(`${row.outcome.padEnd(8)} ${row.id}  ${row.title}: ${row.figure}  (${row.bar})`);
    await saveReport(createReport(title, rows), name);
  }
  console.log(`\n${printMarkdown(createReport(title, rows))}`);
  process.exitCode = rows.some(({ outcome }) => outcome === 'MISSED') ? 1 : 0;
}

function readCommit(): string {
  try {
    const args = ['rev-parse', '--short', 'HEAD'];
    return execFileSync('git', args, { encoding: 'utf8', stdio: 'pipe' }).trim();
  } catch {
    return 'unknown';
  }
}
