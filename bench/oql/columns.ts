// The data for planning adversarial texts: every region exists and has indexes.

import { ColumnStore } from '../../src/columns/index.ts';
import { MemoryEngine } from '../../src/engine/memory/memory-engine.ts';
import { createColumnSource, pinRegions } from '../../src/grid/query/open-columns.ts';
import { readPointOf } from '../../src/grid/query/read-point.ts';
import { describeIndexes } from '../../src/grid/query/region-indexes.ts';
import type { Catalog } from '../../src/oql/bind/catalog.ts';
import type { ColumnSource } from '../../src/oql/columnar/column-source.ts';

const REGION = { type: 'REPLICATE', valueMembers: undefined } as const;
export const adversarialCatalog: Catalog = {
  findRegion: () => REGION,
  regionNames: () => ['r'],
  findTypeMembers: () => undefined,
};

/** A small region `r` with an index of each kind on the members that the texts use. */
export async function openAdversarialColumns(): Promise<ColumnSource> {
  const engine = new MemoryEngine();
  const described = {
    name: 'r',
    type: 'REPLICATE',
    keyConstraint: null,
    valueConstraint: null,
  } as const;
  await engine.createRegion(described);
  const region = await engine.openRegion('r');
  for (let id = 0; id < 300; id++) {
    await region?.write([
      { kind: 'put', key: `${id}`, value: `{"a":${id},"b":1,"s":"${id}","m":{"a":1}}` },
    ]);
  }
  const store = new ColumnStore(1 << 28, engine.stats().sequence);
  const indexes = [
    { name: 'a', kind: 'range', expression: 'a', from: '/r' },
    { name: 's', kind: 'range', expression: 's', from: '/r' },
    { name: 'b', kind: 'hash', expression: 'b', from: '/r' },
    { name: 'm', kind: 'range', expression: 'o.m[*]', from: '/r o' },
  ] as const;
  const regions = [{ ...described, indexes, entryCount: 300, valueBytes: 0 }];
  const pins = pinRegions(store, ['r']);
  return createColumnSource(
    readPointOf(await engine.openSnapshot(), adversarialCatalog),
    pins,
    describeIndexes(regions, adversarialCatalog),
  );
}
