// The files of the documentation page: our own beside this module, and those of the bundled viewer.
// The build copies the viewer's files here; when run from source they are read from `node_modules`.

import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  CSS_FILE,
  HTML_FILE,
  SCRIPT_FILE,
  type SiteFiles,
  type StaticFile,
  StaticFileCache,
} from '../response/static-file.ts';

const PAGE = 'page.html';

const OWN_FILES: ReadonlyMap<string, string> = new Map([
  [PAGE, HTML_FILE],
  ['page.css', CSS_FILE],
  ['page.js', SCRIPT_FILE],
]);

const VIEWER_FILES: ReadonlyMap<string, string> = new Map([
  ['swagger-ui.css', CSS_FILE],
  ['swagger-ui-bundle.js', SCRIPT_FILE],
]);

export class DocumentationFiles implements SiteFiles {
  readonly #files = new StaticFileCache();

  find(path: string): Promise<StaticFile> | undefined {
    const name = path === '' ? PAGE : path;
    const contentType = OWN_FILES.get(name) ?? VIEWER_FILES.get(name);
    if (contentType === undefined) return undefined;
    return this.#files.read(join(folderOf(name), name), contentType);
  }
}

function folderOf(name: string): string {
  const here = fileURLToPath(import.meta.url);
  const fromSources = here.endsWith('.ts');
  if (!fromSources || OWN_FILES.has(name)) return dirname(here);
  return dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
}
