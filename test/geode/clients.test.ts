// Clients in other languages, written from Geode's documentation, work unchanged.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Service } from '../service.ts';

const run = promisify(execFile);
const fileOf = (name: string): string => fileURLToPath(new URL(`clients/${name}`, import.meta.url));

const CLIENTS = [
  {
    language: 'Python',
    program: 'python3',
    options: [],
    version: '--version',
    file: 'geode_client.py',
    root: '/gemfire-api/v1',
  },
  // Java 11 and later run a source file directly.
  {
    language: 'Java',
    program: 'java',
    // It runs for a second, so that optimizing its code does not pay.
    options: ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'],
    version: '-version',
    file: 'GeodeClient.java',
    root: '/geode/v1',
  },
];

for (const { file, language, options, program, root, version } of CLIENTS) {
  test(`a client in ${language} finds its Geode under ${root}`, async (context) => {
    try {
      await run(program, [version]);
    } catch {
      context.skip(`${program} is not on this machine`);
      return;
    }
    await using service = await Service.start();
    await service.grid.createRegion({ name: 'shop' });
    const { stderr, stdout } = await run(program, [
      ...options,
      fileOf(file),
      service.origin + root,
    ]);
    assert.equal(stdout, 'ok\n', stderr);
  });
}
