// Checks a whole data file and reports every problem: in its pages, its tables, its change log, and
// in each entry against its seal, its region and the latest commit. Reads only.

import { statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { printAmount } from '../../value/print-amount.ts';
import { EngineError } from '../errors.ts';
import type { CheckedRegion, ProblemList, StoreReport } from '../store-report.ts';
import { EntryCheck } from './check-entry.ts';
import type { ColumnsIn } from './large-values.ts';
import { formatReader, type StatedRegion } from './migrations/migrate-store.ts';
import { checkHeader } from './open-store.ts';
import { Problems } from './problems.ts';
import { checkTables, FORMAT_VERSION, readFormat, readStoreRow } from './schema.ts';
import { BUSY, primaryCode } from './sqlite-errors.ts';
import {
  type DataFile,
  readUndisturbed,
  requireDataFile,
  type StoreReader,
  scanRawEntries,
} from './store-reader.ts';

/** Findings beyond this number are only counted. */
const MAX_PROBLEMS = 50;
const MAX_PAGE_PROBLEMS = 20;
/** SQLite's PERM, BUSY, READONLY and CANTOPEN. */
const UNREADABLE: ReadonlySet<number> = new Set([3, BUSY, 8, 14]);
const ENTRIES_BETWEEN_REPORTS = 1000;

export interface Progress {
  readonly done: number;
  readonly total: number;
}

/** Throws `MissingStoreError`, or the system's error, when there is nothing to check. */
export async function checkStore(
  file: DataFile,
  onProgress: (progress: Progress) => void,
): Promise<StoreReport> {
  requireDataFile(file);
  try {
    checkHeader(file);
    return await readUndisturbed(file, (reader) => inspect(reader, file.data, onProgress));
  } catch (error) {
    if (isNoDamage(error)) throw error;
    // The file could not be opened as a store at all.
    const problems = new Problems(MAX_PROBLEMS);
    problems.add(printReason(error, file.data));
    return toReport(file.data, problems, { sequence: undefined, regions: [], changeCount: 0 });
  }
}

function inspect(
  { database, isLogDropped, missing }: StoreReader,
  file: string,
  onProgress: (progress: Progress) => void,
): StoreReport {
  const problems = new Problems(MAX_PROBLEMS);
  if (missing !== undefined) problems.add(printReason(missing, file));
  if (isLogDropped) {
    problems.add(
      `${file}-wal is damaged, but not needed: the data file has all of its commits, and the next start drops it`,
    );
  }
  const attempt = <Result>(look: () => Result): Result | undefined => {
    try {
      return look();
    } catch (error) {
      problems.add(printReason(error, file));
      return undefined;
    }
  };
  const { checkChangeLog, columnsIn, countOrphans, readRegions, tables } = formatReader(
    attempt(() => readFormat(database, file)) ?? FORMAT_VERSION,
  );
  const sequence = attempt(() => readStoreRow(database, file))?.sequence;
  const rows = attempt(() => readRegions(database, file));
  const total = rows?.reduce((sum, row) => sum + row.entryCount, 0) ?? 0;
  onProgress({ done: 0, total });
  if (rows !== undefined) attempt(() => checkTables(database, file, rows, tables));
  attempt(() => findBadPages(database, problems));
  let done = 0;
  const regions = (rows ?? []).map((row) =>
    checkRegion(database, file, {
      row,
      columnsIn,
      sequence,
      problems,
      onEntries: (count) => {
        done += count;
        onProgress({ done: Math.min(done, total), total });
      },
    }),
  );
  const orphans = attempt(() => countOrphans(database, rows ?? [])) ?? 0;
  if (rows !== undefined && orphans > 0) {
    problems.add(`large values: ${printAmount(orphans, 'row belongs', 'rows belong')} to no entry`);
  }
  const changeCount = attempt(() => checkChangeLog(database, sequence, problems)) ?? 0;
  onProgress({ done: total, total });
  return toReport(file, problems, { sequence, regions, changeCount });
}

function findBadPages(database: DatabaseSync, problems: Problems): void {
  for (const row of database.prepare(`PRAGMA integrity_check(${MAX_PAGE_PROBLEMS})`).iterate()) {
    const finding = String(row['integrity_check']);
    if (finding !== 'ok') for (const line of finding.split('\n')) problems.add(`pages: ${line}`);
  }
}

interface RegionTask {
  readonly row: StatedRegion;
  readonly columnsIn: ColumnsIn;
  readonly sequence: number | undefined;
  readonly problems: Problems;
  readonly onEntries: (count: number) => void;
}

function checkRegion(database: DatabaseSync, file: string, task: RegionTask): CheckedRegion {
  const { columnsIn, onEntries, problems, row, sequence } = task;
  const { name, type } = row.definition;
  const countBefore = problems.count;
  const report = (text: string): void => problems.add(`region ${name}: ${text}`);
  const check = new EntryCheck(row, sequence, report);
  try {
    for (const entry of scanRawEntries(database, row.id, columnsIn)) {
      check.take(entry);
      if (check.entryCount % ENTRIES_BETWEEN_REPORTS === 0) onEntries(ENTRIES_BETWEEN_REPORTS);
    }
    check.finish();
  } catch (error) {
    report(
      `cannot be read beyond ${printAmount(check.entryCount, 'entry', 'entries')}: ${printReason(error, file)}`,
    );
  }
  onEntries(check.entryCount % ENTRIES_BETWEEN_REPORTS);
  const { entryCount, valueBytes } = check;
  return { name, type, entryCount, valueBytes, problemCount: problems.count - countBefore };
}

function toReport(
  file: string,
  problems: ProblemList,
  found: Pick<StoreReport, 'sequence' | 'regions' | 'changeCount'>,
): StoreReport {
  const { count, shown } = problems;
  const regions = [...found.regions].sort((a, b) => (a.name < b.name ? -1 : 1));
  return { file, fileBytes: statSync(file).size, ...found, regions, count, shown };
}

/** Whether the system refused access, so that the state of the file is unknown. */
function isNoDamage(error: unknown): boolean {
  const isSystemError = error instanceof Error && 'syscall' in error;
  return isSystemError || UNREADABLE.has(primaryCode(error) ?? 0);
}

/** Removes the file name from a message: the report states it once. */
function printReason(error: unknown, file: string): string {
  const message = error instanceof Error ? error.message : String(error);
  if (!(error instanceof EngineError)) return message;
  return message.replace(`${file} is damaged: `, '').replace(`${file} has`, 'it has');
}
