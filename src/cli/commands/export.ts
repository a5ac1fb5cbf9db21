// `gridkeep export`: entries of a region, or of all of them, as lines of JSON.

import { existsSync } from 'node:fs';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { printAmount } from '../../value/print-amount.ts';
import { drawSteps } from '../draw-steps.ts';
import type { Options } from '../parse-options.ts';
import { failWith } from '../print-errors.ts';
import { isOtherThanFile, resolvePath } from '../resolve-path.ts';
import { EXIT, type Terminal } from '../terminal.ts';
import { printEntryLines } from '../transfer/entry-lines.ts';
import { type CalledCommand, type ExportSource, openSource } from '../transfer/grid-access.ts';
import { writeLineFile, writeLinePipe } from '../transfer/line-files.ts';
import {
  type ExportedRegion,
  MANIFEST_FILE,
  parseManifest,
  printManifest,
} from '../transfer/manifest.ts';
import { runTransfer, type Transfer } from '../transfer/run-transfer.ts';

const EXTENSIONS: ReadonlyMap<string, string> = new Map([
  ['none', ''],
  ['gzip', '.gz'],
  ['zstd', '.zst'],
]);

/** File names have at most 255 bytes; a number and an extension must still fit. */
const LONGEST_NAME = 200;

const EXPORT: Transfer<ExportSource> = {
  command: 'export',
  flags: { to: 'value', compress: 'value', force: 'switch' },
  findMisuse,
  open: openSource,
  moveRegion: exportRegion,
  moveAll: exportAll,
};

export function runExport(args: readonly string[], terminal: Terminal): Promise<number> {
  return runTransfer(EXPORT, args, terminal);
}

function findMisuse(options: Options): string | undefined {
  if (options.has('all') && !options.has('to')) return 'export --all needs --to DIRECTORY';
  if (options.has('compress') && !options.has('all')) {
    return '--compress goes with --all; a single file is compressed as its ending, .gz or .zst, says';
  }
  const compress = options.value('compress');
  if (compress !== undefined && !EXTENSIONS.has(compress)) {
    return `--compress must be one of ${[...EXTENSIONS.keys()].join(', ')}`;
  }
  return undefined;
}

async function exportRegion(
  source: ExportSource,
  region: string,
  { options, terminal }: CalledCommand,
): Promise<number> {
  const total = await source.count(region);
  if (total === undefined) return failWith(terminal, `there is no region ${region}`);
  const to = options.value('to');
  if (to === undefined) {
    await writeLinePipe(
      terminal,
      printRegion(source, region, () => undefined),
    );
    return source.isUndisturbed() ? EXIT.ok : failWith(terminal, DISTURBED);
  }
  const file = resolvePath(to, terminal);
  if (isOtherThanFile(file)) {
    return failWith(terminal, `${to} exists and is not a file; name another one`);
  }
  if (existsSync(file) && !options.has('force')) {
    return failWith(terminal, `${to} exists; --force replaces it`);
  }
  const draw = drawSteps(terminal, { exporting: `exporting ${region}` });
  let done = 0;
  const lines = printRegion(source, region, (count) => {
    done += count;
    draw({ step: 'exporting', done: Math.min(done, total), total });
  });
  await writeLineFile(file, failIfDisturbed(source, lines));
  draw({ step: 'exporting', done: total, total });
  terminal.print(`${to}: ${printAmount(done, 'entry', 'entries')} of region ${region}`);
  return EXIT.ok;
}

async function exportAll(
  source: ExportSource,
  { options, terminal }: CalledCommand,
): Promise<number> {
  const to = options.value('to') ?? '';
  const directory = resolvePath(to, terminal);
  const manifestFile = join(directory, MANIFEST_FILE);
  if (existsSync(manifestFile) && !options.has('force')) {
    return failWith(terminal, `${to} holds an export; --force replaces it`);
  }
  const regions = await source.describeRegions();
  const queries = await source.listQueries();
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const oldFiles = await listFiles(manifestFile);
  // A replaced export is incomplete from now on.
  await rm(manifestFile, { force: true });
  const total = regions.reduce((sum, { entryCount }) => sum + entryCount, 0);
  const draw = drawSteps(terminal, { exporting: 'exporting' });
  const extension = `.ndjson${EXTENSIONS.get(options.value('compress') ?? 'none') ?? ''}`;
  const exported: ExportedRegion[] = [];
  let done = 0;
  for (const region of regions) {
    const before = done;
    const lines = printRegion(source, region.name, (count) => {
      done += count;
      draw({ step: 'exporting', done: Math.min(done, total), total });
    });
    const file = nameFile(region.name, exported) + extension;
    await writeLineFile(join(directory, file), failIfDisturbed(source, lines));
    exported.push({ ...region, file, entryCount: done - before });
  }
  // Last, so that a directory with a manifest is a complete export.
  await writeLineFile(manifestFile, Readable.from([printManifest({ regions: exported, queries })]));
  const obsolete = oldFiles.filter((name) => exported.every(({ file }) => file !== name));
  for (const name of obsolete) await rm(join(directory, name), { force: true });
  draw({ step: 'exporting', done: total, total });
  const entries = printAmount(done, 'entry', 'entries');
  const queryAmount = printAmount(queries.length, 'named query', 'named queries');
  terminal.print(`${to}: ${entries} of ${printAmount(regions.length, 'region')}, ${queryAmount}`);
  return EXIT.ok;
}

/** The files of the export that has this manifest. */
async function listFiles(manifestFile: string): Promise<readonly string[]> {
  if (!existsSync(manifestFile)) return [];
  const manifest = parseManifest(await readFile(manifestFile, 'utf8'));
  if (typeof manifest === 'string') return [];
  const files = manifest.regions.map(({ file }) => file);
  return files.filter((file) => !isOtherThanFile(join(dirname(manifestFile), file)));
}

/** The region's name, with a number if the file system might not distinguish it from another. */
function nameFile(region: string, others: readonly ExportedRegion[]): string {
  const isLikeAnother = others.some(({ name }) => name.toLowerCase() === region.toLowerCase());
  const isLong = region.length > LONGEST_NAME;
  return isLikeAnother || isLong ? `${region.slice(0, LONGEST_NAME)}~${others.length}` : region;
}

async function* printRegion(
  source: ExportSource,
  region: string,
  onEntries: (count: number) => void,
): AsyncGenerator<string> {
  for await (const batch of source.entries(region)) {
    yield printEntryLines(batch);
    onEntries(batch.length);
  }
}

const DISTURBED = 'a server started on the store during the export; export again';

/** Thrown before the file gets its name. */
class DisturbedError extends Error {
  readonly code = 'export/disturbed';
}

async function* failIfDisturbed(
  source: ExportSource,
  lines: AsyncIterable<string>,
): AsyncGenerator<string> {
  yield* lines;
  if (!source.isUndisturbed()) throw new DisturbedError(DISTURBED);
}
