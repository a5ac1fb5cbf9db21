// A Chromium for tests: the one that an npm package carries, so that no browser has to be
// installed and all machines use the same. It has no window and takes two thirds of the processor
// time of a whole Chromium. `TEST_BROWSER=installed` takes that of the machine, which also serves
// where the packaged one does not run.

import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inflate } from '@sparticuz/chromium';
import { type Browser, chromium } from 'playwright-core';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const MODULES = fileURLToPath(new URL('../../node_modules/', import.meta.url));
/** Where the packaged one is unpacked; a new installation begins anew. */
const UNPACKED = join(MODULES, '.gridkeep-chromium');
const ARCHIVES = ['chromium.br', 'fonts.tar.br', 'swiftshader.tar.br', 'al2023.tar.br'];

/** Root has no sandbox; the pages are our own. */
const ARGUMENTS = ['--no-sandbox'];

export async function launchBrowser(): Promise<Browser> {
  const installed = PLACES.find((place) => existsSync(place));
  if (installed === undefined) return launchPackaged();
  const options = { executablePath: installed, args: ARGUMENTS };
  if (process.env['TEST_BROWSER'] === 'installed') return chromium.launch(options);
  return launchPackaged().catch(() => chromium.launch(options));
}

async function launchPackaged(): Promise<Browser> {
  const folder = await unpack();
  const options = {
    executablePath: join(folder, 'chromium'),
    // As its package starts it, without the switches that would turn security off.
    args: [...ARGUMENTS, '--no-zygote', '--in-process-gpu', '--font-render-hinting=none'],
  };
  try {
    return await chromium.launch(options);
  } catch {
    // Libraries that a bare machine has not.
    const libraries = join(folder, 'al2023', 'lib');
    return chromium.launch({ ...options, env: { ...process.env, LD_LIBRARY_PATH: libraries } });
  }
}

/** Into a folder of its own, renamed when it is whole: several tests may do this at once. */
async function unpack(): Promise<string> {
  if (existsSync(UNPACKED)) return UNPACKED;
  const folder = await mkdtemp(`${UNPACKED}-`);
  const before = process.env['TMPDIR'];
  // The package unpacks into the folder for temporary files, wherever that is.
  process.env['TMPDIR'] = folder;
  try {
    const packed = join(
      dirname(createRequire(import.meta.url).resolve('@sparticuz/chromium')),
      '../bin',
    );
    for (const archive of ARCHIVES) await inflate(join(packed, archive));
  } finally {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
  }
  try {
    await rename(folder, UNPACKED);
  } catch (error) {
    await rm(folder, { recursive: true });
    if (!existsSync(UNPACKED)) throw error;
  }
  return UNPACKED;
}
