// Every example of docs/security.md is a working config file.

import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { type LoadedConfig, loadConfig } from '../../src/app/index.ts';
import { checkOrigins, openAuthenticator } from '../../src/app/open-safeguards.ts';
import { hashPassword } from '../../src/http/auth/password-hash.ts';
import { CHEAP } from '../security/logins.ts';
import { examplesOf } from './examples.ts';

test('the examples of docs/security.md load, and accept a login', async () => {
  const text = await readFile(new URL('../../docs/security.md', import.meta.url), 'utf8');
  const examples = examplesOf(text, 'yaml');
  assert.ok(examples.length >= 5, `only ${examples.length} examples were found`);
  const directory = await mkdtemp(join(tmpdir(), 'gridkeep-docs-'));
  try {
    let authenticators = 0;
    const environment = { GRIDKEEP_SECRET_ADA: await hashPassword('hers', CHEAP) };
    for (const { input } of examples) {
      const file = join(directory, 'gridkeep.yaml');
      await writeFile(file, input.text);
      const outcome = await loadConfig({ environment, workingDirectory: directory });
      assert.ok(outcome.kind === 'loaded', JSON.stringify(outcome));
      const { config, declarations }: LoadedConfig = outcome;
      checkOrigins(config.http.corsOrigins);
      if ((await openAuthenticator(declarations.auth)) !== undefined) authenticators += 1;
    }
    assert.ok(authenticators >= 5);
  } finally {
    await rm(directory, { recursive: true });
  }
});
