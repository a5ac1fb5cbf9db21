// Adapts a snapshot of the engine to the query language's port.

import type { Snapshot } from '../../engine/engine.ts';
import { toTexts } from '../../engine/joined-texts.ts';
import type { Catalog, QuerySource, SourceEntry, SourceRegion } from '../../oql/index.ts';
import type { ReadPoint } from './read-point.ts';

export function createSnapshotSource(snapshot: Snapshot, catalog: Catalog): QuerySource {
  return {
    findRegion(name): Promise<SourceRegion | undefined> {
      const type = catalog.findRegion(name)?.type;
      const size = snapshot.count(name);
      if (type === undefined || size === undefined) return Promise.resolve(undefined);
      return Promise.resolve({
        type,
        size,
        entries: (after) => readEntries(snapshot, name, after),
        get: async (key) => (await snapshot.read(name, [key]))[0]?.value,
      });
    },
  };
}

/** A source over the snapshot of a read point, which is opened on first use. */
export function createReadPointSource(readPoint: ReadPoint, catalog: Catalog): QuerySource {
  return {
    async findRegion(name): Promise<SourceRegion | undefined> {
      const snapshot = await readPoint.openSnapshot('result');
      return createSnapshotSource(snapshot, catalog).findRegion(name);
    },
  };
}

async function* readEntries(
  snapshot: Snapshot,
  region: string,
  after: string | undefined,
): AsyncGenerator<readonly SourceEntry[]> {
  for await (const batch of snapshot.scan(region, { after }, 'entries')) {
    yield toTexts(batch).map(([key, value]) => ({ key, value }));
  }
}
