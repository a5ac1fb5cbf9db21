// The files of the documentation page: our own beside this module, and those of
// the bundled viewer. The build copies the viewer's files here as well; from the
// sources they are taken where npm put them.

import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface DocumentationFile {
  readonly contentType: string;
  readonly bytes: Uint8Array;
  /** A strong entity tag of the bytes. */
  readonly tag: string;
}

const HTML = 'text/html; charset=utf-8';
const CSS = 'text/css; charset=utf-8';
const JAVASCRIPT = 'text/javascript; charset=utf-8';

const OWN_FILES: ReadonlyMap<string, string> = new Map([
  ['page.html', HTML],
  ['page.css', CSS],
  ['page.js', JAVASCRIPT],
]);

const VIEWER_FILES: ReadonlyMap<string, string> = new Map([
  ['swagger-ui.css', CSS],
  ['swagger-ui-bundle.js', JAVASCRIPT],
]);

export class DocumentationFiles {
  readonly #read = new Map<string, Promise<DocumentationFile>>();

  /** Each file is read once, when first asked for; undefined when there is none of the name. */
  find(name: string): Promise<DocumentationFile> | undefined {
    const contentType = OWN_FILES.get(name) ?? VIEWER_FILES.get(name);
    if (contentType === undefined) return undefined;
    const known = this.#read.get(name);
    if (known !== undefined) return known;
    const reading = readDocumentationFile(name, contentType);
    this.#read.set(name, reading);
    // A failure is not kept: the file may be there the next time.
    reading.catch(() => this.#read.delete(name));
    return reading;
  }
}

async function readDocumentationFile(
  name: string,
  contentType: string,
): Promise<DocumentationFile> {
  const bytes = await readFile(join(folderOf(name), name));
  return { contentType, bytes, tag: `"${hash('sha256', bytes, 'base64url').slice(0, 22)}"` };
}

function folderOf(name: string): string {
  const here = fileURLToPath(import.meta.url);
  const fromSources = here.endsWith('.ts');
  if (!fromSources || OWN_FILES.has(name)) return dirname(here);
  return dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
}
