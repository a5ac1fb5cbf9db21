// The files of the web console, as built into `dist/console`: one page, and assets whose names hold
// a hash of their content.

import { readdirSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  CSS_FILE,
  HTML_FILE,
  SCRIPT_FILE,
  type SiteFiles,
  type StaticFile,
  StaticFileCache,
} from '../response/static-file.ts';

const CONTENT_TYPES: ReadonlyMap<string, string> = new Map([
  ['.css', CSS_FILE],
  ['.js', SCRIPT_FILE],
  ['.svg', 'image/svg+xml'],
]);

export class ConsoleFiles implements SiteFiles {
  readonly #folder: string;
  readonly #files = new StaticFileCache();
  /**
   * Paths of the assets, listed once: a requested one must be in it before a file is read.
   */
  #assets: ReadonlySet<string> | undefined;

  constructor(folder: string = findFolder()) {
    this.#folder = folder;
  }

  find(name: string): Promise<StaticFile> | undefined {
    const assets = this.#listAssets();
    // Without assets the console is not built.
    if (name === '' && assets.size > 0) {
      return this.#files.read(join(this.#folder, 'index.html'), HTML_FILE);
    }
    const contentType = CONTENT_TYPES.get(extname(name));
    if (contentType === undefined || !assets.has(name)) return undefined;
    return this.#files.read(join(this.#folder, name), contentType);
  }

  #listAssets(): ReadonlySet<string> {
    if (this.#assets !== undefined) return this.#assets;
    const assets = new Set(listNames(join(this.#folder, 'assets')).map((name) => `assets/${name}`));
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
