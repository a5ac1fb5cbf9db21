// `gridkeep start --load REGION=FILE`: loads files before the first request is answered.

import type { GridTarget } from '../../app/index.ts';
import { drawSteps } from '../draw-steps.ts';
import { resolvePath } from '../resolve-path.ts';
import { explainFailure } from '../run-task.ts';
import type { Terminal } from '../terminal.ts';
import { importEntries, printWrittenBefore } from './import-entries.ts';
import { readLineFile } from './line-files.ts';
import { findInputFormat, readEntries } from './read-entries.ts';

export interface FileLoad {
  readonly region: string;
  /** The name that the user gave; its extension determines the format. */
  readonly file: string;
}

/** Thrown when a file cannot be read, or has an invalid entry; the message is a sentence. */
export class LoadError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'LoadError';
  }
}

/** Creates regions that do not exist, then creates and overwrites the entries of each file. */
export async function loadFiles(
  target: GridTarget,
  {
    keyMember,
    loads,
  }: { readonly loads: readonly FileLoad[]; readonly keyMember: string | undefined },
  terminal: Terminal,
): Promise<void> {
  for (const load of loads) {
    try {
      await loadFile(target, load, { keyMember, terminal });
    } catch (error) {
      const sentence = error instanceof LoadError ? undefined : explainFailure(error);
      if (sentence === undefined) throw error;
      throw new LoadError(`--load ${load.region}=${load.file}: ${sentence}`, { cause: error });
    }
  }
}

async function loadFile(
  target: GridTarget,
  { file, region }: FileLoad,
  { keyMember, terminal }: { readonly keyMember: string | undefined; readonly terminal: Terminal },
): Promise<void> {
  const draw = drawSteps(terminal, { loading: `loading ${region}` });
  const input = readLineFile(resolvePath(file, terminal), (progress) =>
    draw({ step: 'loading', ...progress }),
  );
  const shape = { name: region, type: 'REPLICATE', keyConstraint: null, valueConstraint: null };
  await target.createRegion(shape);
  const entries = readEntries(input, { format: findInputFormat(file), keyMember });
  const outcome = await importEntries(entries, region, target);
  if (outcome.kind === 'imported') return;
  throw new LoadError(`${file}, ${outcome.reason}; ${printWrittenBefore(outcome.entries)}`);
}
