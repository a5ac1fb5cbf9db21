// Regions of a few documents, over which queries run with both evaluators.

import { MemoryEngine } from '../../src/engine/memory/memory-engine.ts';
import { plainRegion } from '../../src/engine/testing/plain-region.ts';
import { createCatalog } from '../../src/oql/reference/testing/memory-source.ts';
import type { Choices } from '../../src/oql/testing/queries/choices.ts';
import { type BothOutcomes, openStore, runBoth } from './both-engines.ts';

type Documents = Readonly<Record<string, readonly object[]>>;

/** Runs texts over regions with both evaluators. */
export async function runAll(
  documents: Documents,
  texts: readonly string[],
  check: (outcomes: BothOutcomes, text: string) => void,
): Promise<void> {
  const engine = new MemoryEngine();
  const names = Object.keys(documents);
  const catalog = createCatalog(Object.fromEntries(names.map((name) => [name, { entries: [] }])));
  for (const name of names) {
    await engine.createRegion(plainRegion(name));
    const region = await engine.openRegion(name);
    const changes = (documents[name] ?? []).map((document, at) => ({
      kind: 'put' as const,
      key: `k${String(at).padStart(5, '0')}`,
      value: JSON.stringify(document),
    }));
    await region?.write(changes);
  }
  const store = openStore(engine);
  for (const text of texts) check(await runBoth({ engine, store, catalog, text }), text);
  await engine.close();
}

/** Mostly numbers; sometimes a value on which arithmetic and order fail, or nothing. */
export function makeDocument(choices: Choices): object {
  const odd = (): unknown => choices.of<unknown>(null, 'x', true, undefined, undefined);
  const number = (): unknown => (choices.chance(94) ? choices.below(6) : odd());
  const items = Array.from({ length: choices.below(3) }, () => ({ n: number() }));
  return { k: number(), j: number(), n: number(), m: number(), items };
}
