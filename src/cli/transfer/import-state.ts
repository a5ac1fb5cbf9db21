// The progress of an import from Geode, in a file, so that an interrupted import can be resumed.
//
//   {"format":"gridkeep-import","version":1,"from":"http://…","to":"/data","regions":{"orders":{"after":"o-17"},"items":"done"}}

import { readFile, rename, writeFile } from 'node:fs/promises';
import { GeodeError, type GeodeKey } from './geode-source.ts';

const FORMAT = 'gridkeep-import';
const VERSION = 1;

type ImportedRegion = 'done' | { readonly after: string };

interface StateFile {
  readonly format: string;
  readonly version: number;
  readonly from: string;
  readonly to: string;
  readonly regions: Readonly<Record<string, ImportedRegion>>;
}

/** Source and target of an import; its state is of no use for others. */
export interface ImportEndpoints {
  readonly from: string;
  readonly to: string;
}

export class ImportState {
  readonly #file: string | undefined;
  readonly #endpoints: ImportEndpoints;
  readonly #regions: Map<string, ImportedRegion>;

  /** Without a file nothing is saved. A file of another import is refused. */
  static async open(file: string | undefined, endpoints: ImportEndpoints): Promise<ImportState> {
    const text = file === undefined ? undefined : await readIfThere(file);
    if (text === undefined) return new ImportState(file, endpoints, {});
    const state = parseState(text);
    if (state === undefined || state.from !== endpoints.from || state.to !== endpoints.to) {
      throw new GeodeError(
        `${file} is not the state of an import from ${endpoints.from} into ${endpoints.to}`,
      );
    }
    return new ImportState(file, endpoints, state.regions);
  }

  private constructor(
    file: string | undefined,
    endpoints: ImportEndpoints,
    regions: Readonly<Record<string, ImportedRegion>>,
  ) {
    this.#file = file;
    this.#endpoints = endpoints;
    this.#regions = new Map(Object.entries(regions));
  }

  isDone(region: string): boolean {
    return this.#regions.get(region) === 'done';
  }

  /** Keys that are not imported yet. */
  remaining(region: string, keys: readonly GeodeKey[]): readonly GeodeKey[] {
    const state = this.#regions.get(region);
    if (state === undefined || state === 'done') return keys;
    const at = keys.findIndex(({ text }) => text === state.after);
    // If the last key was removed in Geode meanwhile, everything is imported again, which is
    // harmless.
    return at < 0 ? keys : keys.slice(at + 1);
  }

  advance(region: string, lastKey: string): Promise<void> {
    return this.#set(region, { after: lastKey });
  }

  finish(region: string): Promise<void> {
    return this.#set(region, 'done');
  }

  /** For a region that the target does not have, whatever the state says. */
  startOver(region: string): void {
    this.#regions.delete(region);
  }

  #set(region: string, state: ImportedRegion): Promise<void> {
    this.#regions.set(region, state);
    return this.save();
  }

  async save(): Promise<void> {
    if (this.#file === undefined) return;
    const written: StateFile = {
      format: FORMAT,
      version: VERSION,
      ...this.#endpoints,
      regions: Object.fromEntries(this.#regions),
    };
    const unfinished = `${this.#file}.${process.pid}.unfinished`;
    await writeFile(unfinished, `${JSON.stringify(written)}\n`, { mode: 0o600 });
    await rename(unfinished, this.#file);
  }
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function parseState(text: string): StateFile | undefined {
  try {
    const state = JSON.parse(text) as StateFile; // checked below as far as it matters
    const isOurs = state.format === FORMAT && state.version === VERSION;
    return isOurs && typeof state.regions === 'object' && state.regions !== null
      ? state
      : undefined;
  } catch {
    return undefined;
  }
}
