import { after, it } from 'node:test';
import fc from 'fast-check';
import { shareOfRuns } from '../../value/testing/share-of-runs.ts';
import { MemoryEngine } from '../memory/memory-engine.ts';
import { MirrorEngine, mirrorCommands } from '../testing/mirror-engine.ts';
import { PostgresServer } from '../testing/postgres-server.ts';
import { openPostgresEngine } from './postgres-engine.ts';

const server = await PostgresServer.start();
after(() => server[Symbol.asyncDispose]());

it('answers like a Map, for any sequence of calls and restarts', async () => {
  let run = 0;
  await fc.assert(
    fc.asyncProperty(mirrorCommands, async (commands) => {
      run += 1;
      const url = server.url(`mirror_${run}`);
      const open = () => openPostgresEngine({ url, maxSnapshots: 40 });
      const mirror = new MirrorEngine(new MemoryEngine(), [await open()], open);
      try {
        for (const command of commands) await mirror.run(command);
      } finally {
        await mirror.close();
      }
    }),
    { numRuns: shareOfRuns(10) },
  );
});
