// `gridkeep import`: reads lines of JSON, as `gridkeep export` writes them, JSON
// arrays or comma-separated values into a region; or a whole export into the
// regions of a grid.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RegionShape } from '../../client/index.ts';
import { printAmount } from '../../value/print-amount.ts';
import { drawSteps } from '../draw-steps.ts';
import type { Options } from '../parse-options.ts';
import { failWith } from '../print-errors.ts';
import { resolvePath } from '../resolve-path.ts';
import { EXIT, type Terminal } from '../terminal.ts';
import { GeodeSource } from '../transfer/geode-source.ts';
import { type CalledCommand, type ImportTarget, openTarget } from '../transfer/grid-access.ts';
import {
  type ImportOutcome,
  importEntries,
  printWrittenBefore,
} from '../transfer/import-entries.ts';
import { importAllFromGeode, importRegionFromGeode } from '../transfer/import-from-geode.ts';
import { readLineFile, readLinePipe } from '../transfer/line-files.ts';
import {
  type ExportedRegion,
  MANIFEST_FILE,
  type Manifest,
  parseManifest,
} from '../transfer/manifest.ts';
import {
  findInputFormat,
  INPUT_FORMATS,
  type InputFormat,
  readEntries,
} from '../transfer/read-entries.ts';
import { runTransfer, type Transfer } from '../transfer/run-transfer.ts';

const IMPORT: Transfer<ImportTarget> = {
  command: 'import',
  flags: {
    from: 'value',
    'from-geode': 'value',
    state: 'value',
    create: 'switch',
    key: 'value',
    format: 'value',
  },
  findMisuse,
  open: openTarget,
  moveRegion: importRegion,
  moveAll: importAll,
};

export function runImport(args: readonly string[], terminal: Terminal): Promise<number> {
  return runTransfer(IMPORT, args, terminal);
}

function findMisuse(options: Options): string | undefined {
  if (options.has('from-geode')) return findGeodeMisuse(options);
  if (options.has('state')) return '--state goes with --from-geode';
  if (options.has('all') && !options.has('from')) return 'import --all needs --from DIRECTORY';
  if (options.has('all') && (options.has('key') || options.has('format'))) {
    return '--key and --format go with --region; an export says itself what it holds';
  }
  const format = options.value('format');
  return format === undefined || isInputFormat(format)
    ? undefined
    : `--format must be one of ${INPUT_FORMATS.join(', ')}`;
}

function findGeodeMisuse(options: Options): string | undefined {
  const other = ['from', 'key', 'format'].find((name) => options.has(name));
  if (other !== undefined) return `--from-geode and --${other} exclude each other`;
  return GeodeSource.findMisuse(options.value('from-geode') ?? '');
}

async function importRegion(
  target: ImportTarget,
  name: string,
  call: CalledCommand,
): Promise<number> {
  const { options, terminal } = call;
  if (options.has('from-geode')) return importRegionFromGeode(target, name, call);
  const shape = { name, type: 'REPLICATE', keyConstraint: null, valueConstraint: null };
  if (!(await prepareRegion(target, shape, options))) {
    return failWith(terminal, `there is no region ${name}; --create makes it`);
  }
  const from = options.value('from');
  const format = options.value('format') ?? '';
  const form = {
    format: isInputFormat(format) ? format : findInputFormat(from ?? ''),
    keyMember: options.value('key'),
  };
  const input =
    from === undefined
      ? readLinePipe(terminal)
      : readFileDrawn(resolvePath(from, terminal), name, terminal);
  const outcome = await importEntries(readEntries(input, form), name, target);
  return report(outcome, { name, from: from ?? 'standard input' }, terminal);
}

async function importAll(target: ImportTarget, call: CalledCommand): Promise<number> {
  const { options, terminal } = call;
  if (options.has('from-geode')) return importAllFromGeode(target, call);
  const from = options.value('from') ?? '';
  const directory = resolvePath(from, terminal);
  const manifest = parseManifest(await readFile(join(directory, MANIFEST_FILE), 'utf8'));
  if (typeof manifest === 'string') {
    return failWith(terminal, `${join(from, MANIFEST_FILE)} cannot be used: ${manifest}`);
  }
  for (const region of manifest.regions) {
    if (!(await prepareRegion(target, region, options))) {
      return failWith(terminal, `there is no region ${region.name}; --create makes it`);
    }
  }
  for (const region of manifest.regions) {
    const code = await importFile(target, region, { directory, from, terminal });
    if (code !== EXIT.ok) return code;
  }
  if (options.has('create')) await createIndexesAndQueries(target, manifest, terminal);
  return EXIT.ok;
}

interface ImportContext {
  readonly directory: string;
  /** The name that the user gave. */
  readonly from: string;
  readonly terminal: Terminal;
}

async function importFile(
  target: ImportTarget,
  { entryCount, file, name }: ExportedRegion,
  { directory, from, terminal }: ImportContext,
): Promise<number> {
  const input = readFileDrawn(join(directory, file), name, terminal);
  const form = { format: 'ndjson', keyMember: undefined } as const;
  const outcome = await importEntries(readEntries(input, form), name, target);
  const code = report(outcome, { name, from: join(from, file) }, terminal);
  if (outcome.kind !== 'imported') return code;
  const readEntryCount = outcome.entries + outcome.expired + outcome.refused;
  if (readEntryCount === entryCount) return code;
  return failWith(
    terminal,
    `${join(from, file)} has ${printAmount(readEntryCount, 'entry', 'entries')}, but ${entryCount} were exported`,
  );
}

function isInputFormat(word: string): word is InputFormat {
  return INPUT_FORMATS.some((format) => format === word);
}

/** After the entries, so that an index is built in one pass. */
async function createIndexesAndQueries(
  target: ImportTarget,
  manifest: Manifest,
  terminal: Terminal,
): Promise<void> {
  const existing: string[] = [];
  for (const { indexes, name } of manifest.regions) {
    for (const index of indexes) {
      if ((await target.createIndex(name, index)) === 'exists') {
        existing.push(`index ${index.name} of region ${name}`);
      }
    }
  }
  for (const query of manifest.queries) {
    if ((await target.createQuery(query)) === 'exists') existing.push(`query ${query.id}`);
  }
  if (existing.length > 0) terminal.print(`left as they were: ${existing.join(', ')}`);
}

/** Whether the region exists now. */
async function prepareRegion(
  target: ImportTarget,
  { keyConstraint, name, settings, type, valueConstraint }: RegionShape,
  options: Options,
): Promise<boolean> {
  if ((await target.count(name)) !== undefined) return true;
  if (!options.has('create')) return false;
  await target.createRegion({
    name,
    type,
    keyConstraint,
    valueConstraint,
    ...(settings === undefined ? {} : { settings }),
  });
  return true;
}

function readFileDrawn(
  file: string,
  region: string,
  terminal: Terminal,
): AsyncIterable<Uint8Array> {
  const draw = drawSteps(terminal, { importing: `importing ${region}` });
  return readLineFile(file, (progress) => draw({ step: 'importing', ...progress }));
}

function report(
  outcome: ImportOutcome,
  { from, name }: { readonly from: string; readonly name: string },
  terminal: Terminal,
): number {
  if (outcome.kind === 'imported') {
    const { entries, expired, refusals, refused } = outcome;
    const expiredNote = expired === 0 ? '' : `; ${expired} that had expired were left out`;
    terminal.print(
      `${name}: ${printAmount(entries, 'entry', 'entries')} from ${from}${expiredNote}`,
    );
    if (refused === 0) return EXIT.ok;
    const others = refused - refusals.length;
    const more = others === 0 ? '' : `; and ${others} more`;
    const count = refused === 1 ? '1 entry was' : `${refused} entries were`;
    return failWith(terminal, `${from}, ${count} refused: ${refusals.join('; ')}${more}`);
  }
  const { entries, reason } = outcome;
  return failWith(terminal, `${from}, ${reason}; ${printWrittenBefore(entries)}`);
}
