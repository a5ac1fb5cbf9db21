// A Chromium for tests, from an npm package, so that no browser has to be installed and all machines use
// the same. It is headless and takes two thirds of the CPU time of a full Chromium.
// `TEST_BROWSER=installed` uses the browser of the machine, which is also the fallback.

import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inflate } from '@sparticuz/chromium';
import { type Browser, chromium } from 'playwright-core';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const MODULES = fileURLToPath(new URL('../../node_modules/', import.meta.url));
/** Where the packaged browser is unpacked; a new installation unpacks it again. */
const UNPACKED = join(MODULES, '.gridkeep-chromium');
const ARCHIVES = ['chromium.br', 'fonts.tar.br', 'swiftshader.tar.br', 'al2023.tar.br'];

/** Root cannot use the sandbox; the pages are our own. */
const ARGUMENTS = ['--no-sandbox'];
/** The switches of its package, without those that disable security. Nothing emulates a GPU. */
const PACKAGED_ARGUMENTS = [
  '--no-zygote',
  '--in-process-gpu',
  '--font-render-hinting=none',
  '--disable-gpu',
  '--disable-software-rasterizer',
];

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
    args: [...ARGUMENTS, ...PACKAGED_ARGUMENTS],
  };
  try {
    return await chromium.launch(options);
  } catch {
    // Libraries that a minimal machine lacks.
    const libraries = join(folder, 'al2023', 'lib');
    return chromium.launch({ ...options, env: { ...process.env, LD_LIBRARY_PATH: libraries } });
  }
}

/** Unpacks into a separate folder and renames it when complete, because tests may do this concurrently. */
async function unpack(): Promise<string> {
  if (existsSync(UNPACKED)) return UNPACKED;
  const folder = await mkdtemp(`${UNPACKED}-`);
  const before = process.env['TMPDIR'];
  // The package unpacks into the temporary directory.
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
