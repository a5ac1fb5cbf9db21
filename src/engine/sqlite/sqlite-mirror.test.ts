import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import fc from 'fast-check';
import { shareOfRuns } from '../../value/testing/share-of-runs.ts';
import { MemoryEngine } from '../memory/memory-engine.ts';
import { MirrorEngine, mirrorCommands } from '../testing/mirror-engine.ts';
import { checkStore } from './check-store.ts';
import { openSqliteEngine } from './sqlite-engine.ts';
import { storeFiles } from './store-files.ts';

it('answers like a Map, for any sequence of calls and restarts', async () => {
  await fc.assert(
    fc.asyncProperty(mirrorCommands, async (commands) => {
      const directory = mkdtempSync(join(tmpdir(), 'gridkeep-'));
      const open = () => openSqliteEngine({ directory, durability: 'relaxed' });
      const mirror = new MirrorEngine(new MemoryEngine(), [await open()], open);
      try {
        try {
          for (const command of commands) await mirror.run(command);
        } finally {
          await mirror.close();
        }
        const { shown } = await checkStore(storeFiles(directory), () => undefined);
        assert.deepEqual(shown, []);
      } finally {
        rmSync(directory, { recursive: true, force: true });
      }
    }),
    { numRuns: shareOfRuns(15) },
  );
});
