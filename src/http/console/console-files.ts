// The files of the web console, as built into `dist/console`: one page, and assets whose names hold
// a hash of their content.

import { readdirSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  CSS_FILE,
  HTML_FILE,
  SCRIPT_FILE,
  type StaticFile,
  StaticFileCache,
} from '../response/static-file.ts';

const CONTENT_TYPES: ReadonlyMap<string, string> = new Map([
  ['.css', CSS_FILE],
  ['.js', SCRIPT_FILE],
  ['.svg', 'image/svg+xml'],
]);

export class ConsoleFiles {
  readonly #folder: string;
  readonly #files = new StaticFileCache();
  /**
   * Names of the assets, listed once: a requested name must be in it before it becomes part of a
   * path.
   */
  #assets: ReadonlySet<string> | undefined;

  constructor(folder: string = findFolder()) {
    this.#folder = folder;
  }

  /** Undefined when the console is not built. */
  findPage(): Promise<StaticFile> | undefined {
    if (this.#listAssets().size === 0) return undefined;
    return this.#files.read(join(this.#folder, 'index.html'), HTML_FILE);
  }

  /** Undefined when there is no asset of the name. */
  findAsset(name: string): Promise<StaticFile> | undefined {
    const contentType = CONTENT_TYPES.get(extname(name));
    if (contentType === undefined || !this.#listAssets().has(name)) return undefined;
    return this.#files.read(join(this.#folder, 'assets', name), contentType);
  }

  #listAssets(): ReadonlySet<string> {
    if (this.#assets !== undefined) return this.#assets;
    const assets = new Set(listNames(join(this.#folder, 'assets')));
    // An empty list is not cached: a build may follow.
    if (assets.size > 0) this.#assets = assets;
    return assets;
  }
}

function listNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** `dist/console`, both for the sources in `src/http/console` and for the build in `dist/http/console`. */
function findFolder(): string {
  const here = dirname(fileURLToPath(import.meta.url));
  return join(here, '..', '..', '..', 'dist', 'console');
}
