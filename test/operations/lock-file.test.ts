// `npm ci` refuses a lock file in which a dependency has no entry, including optional ones of other
// platforms. `npm install` writes such a file with a registry that omits those.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../program.ts';

interface LockedPackage {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

test('every dependency in package-lock.json has an entry, so that npm ci works', () => {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, LockedPackage>>;
  };
  const places = Object.keys(packages);
  assert.ok(places.length > 50);
  const missing = Object.entries(packages).flatMap(([place, locked]) =>
    Object.keys({
      ...locked.dependencies,
      ...locked.optionalDependencies,
      ...locked.devDependencies,
    })
      .filter((name) => !isFound(name, place, places))
      .map((name) => `${name} of ${place || 'this package'}`),
  );
  assert.deepEqual(missing, []);
});

/** Searches like Node: in the package's own folder, then in those above. */
function isFound(name: string, place: string, places: readonly string[]): boolean {
  for (
    let folder = place;
    ;
    folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))
  ) {
    const candidate = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (places.includes(candidate)) return true;
    if (folder === '') return false;
  }
}
