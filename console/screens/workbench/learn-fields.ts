// Paths in the documents of a region, learned from its first ones.

import { exactObjects } from '../../../src/client/index.ts';
import { call } from '../../api/session.ts';

const SAMPLED = 50;
const MAX_FIELDS = 500;

const learned = new Map<string, Promise<readonly string[]>>();

/** Empty for a region that cannot be read. */
export function learnFields(region: string): Promise<readonly string[]> {
  const known = learned.get(region);
  if (known !== undefined) return known;
  const found = call((client) => client.region<unknown>(region, exactObjects()).first(SAMPLED))
    .then(pathsOf)
    .catch(() => []);
  learned.set(region, found);
  return found;
}

/** `a`, `a.b`: members of objects, and of the objects in lists. */
function pathsOf(documents: readonly unknown[]): readonly string[] {
  const paths = new Set<string>();
  const visit = (value: unknown, prefix: string): void => {
    if (paths.size >= MAX_FIELDS || typeof value !== 'object' || value === null) return;
    if (Array.isArray(value)) {
      for (const element of value) visit(element, prefix);
      return;
    }
    for (const [name, member] of Object.entries(value)) {
      if (!/^[A-Za-z_]\w*$/.test(name)) continue;
      paths.add(prefix + name);
      visit(member, `${prefix}${name}.`);
    }
  };
  for (const document of documents) visit(document, '');
  return [...paths].sort();
}
