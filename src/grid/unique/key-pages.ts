import type { Engine } from '../../engine/engine.ts';

const PAGE_KEYS = 500;

/** The keys of a region in pages, each from its own snapshot; none when the region is destroyed. */
export async function* keyPages(
  engine: Engine,
  region: string,
): AsyncGenerator<readonly string[], void, undefined> {
  let after: string | undefined;
  for (;;) {
    const page: string[] = [];
    const snapshot = await engine.openSnapshot();
    try {
      if (snapshot.count(region) === undefined) return;
      const range = { limit: PAGE_KEYS, after };
      for await (const keys of snapshot.scan(region, range, 'keys')) page.push(...keys);
    } finally {
      snapshot.close();
    }
    if (page.length > 0) yield page;
    if (page.length < PAGE_KEYS) return;
    after = page.at(-1);
  }
}
