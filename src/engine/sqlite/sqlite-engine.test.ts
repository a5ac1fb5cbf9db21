import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Engine } from '../engine.ts';
import { engineContract } from '../testing/engine-contract.ts';
import { openSqliteEngine, type SqliteEngineOptions } from './sqlite-engine.ts';

const directories = new WeakMap<Engine, string>();

function temporaryDirectory(context: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'gridkeep-'));
  context.after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

async function open(
  context: TestContext,
  options: Partial<SqliteEngineOptions> = {},
): Promise<Engine> {
  const directory = options.directory ?? temporaryDirectory(context);
  const engine = await openSqliteEngine({ ...options, directory });
  directories.set(engine, directory);
  context.after(() => engine.close());
  return engine;
}

engineContract('the sqlite engine', {
  open,
  reopen: (closed) => openSqliteEngine({ directory: directories.get(closed) ?? '' }),
});
