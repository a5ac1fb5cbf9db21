// The files of the web console, as built into `dist/console`: one page, and assets whose names hold
// a hash of their content.

import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SiteFiles } from '../response/static-file.ts';

/** The same for the sources in `src/http/console` and for the build in `dist/http/console`. */
const FOLDER = join(dirname(fileURLToPath(import.meta.url)), '../../../dist/console');

export function createConsoleFiles(): SiteFiles {
  let assets: readonly string[] = [];
  return new SiteFiles((name) => {
    // Without assets the console is not built; a build may follow.
    if (assets.length === 0) assets = listAssets();
    if (name === '' && assets.length > 0) return join(FOLDER, 'index.html');
    return assets.includes(name) ? join(FOLDER, name) : undefined;
  });
}

function listAssets(): readonly string[] {
  try {
    return readdirSync(join(FOLDER, 'assets')).map((name) => `assets/${name}`);
  } catch {
    return [];
  }
}
