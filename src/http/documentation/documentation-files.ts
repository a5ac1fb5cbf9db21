// The files of the documentation page: our own beside this module, and those of the bundled viewer.
// The build copies the viewer's files here; when run from source they are read from `node_modules`.

import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SiteFiles } from '../response/static-file.ts';

const PAGE = 'page.html';
const OWN_FILES = [PAGE, 'page.css', 'page.js'];
const VIEWER_FILES = ['swagger-ui.css', 'swagger-ui-bundle.js'];

export function createDocumentationFiles(): SiteFiles {
  return new SiteFiles((path) => {
    const name = path === '' ? PAGE : path;
    const isKnown = OWN_FILES.includes(name) || VIEWER_FILES.includes(name);
    return isKnown ? join(folderOf(name), name) : undefined;
  });
}

function folderOf(name: string): string {
  const here = fileURLToPath(import.meta.url);
  const fromSources = here.endsWith('.ts');
  if (!fromSources || OWN_FILES.includes(name)) return dirname(here);
  return dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
}
