// The client for GemFire's REST service on PyPI, against this service. It is from 2014 and for Python 2,
// so it is converted to Python 3 before it runs. Needs the network.

import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { Service } from '../service.ts';

const PACKAGE = 'gemfire-rest==1.0.2';

const SCENARIO = `
import sys
from GemfireClient import GemfireClient

client = GemfireClient('127.0.0.1', int(sys.argv[1]))

def expect(what, got, wanted):
    if got != wanted:
        sys.exit(f'{what}: {got!r}, but {wanted!r} was expected')

expect('regions', client.list_all_regions(), ['shop'])
region = client.create_repository('shop').get_region()
expect('create', region.create('lamp', {'name': 'Lamp', 'price': 20.5}), True)
expect('create again', region.create('lamp', {'name': 'Other'}), None)
expect('put', region.put('desk', {'name': 'Desk', 'price': 99}), True)
expect('get', region.get('lamp'), {'name': 'Lamp', 'price': 20.5})
expect('item', region['desk'], {'name': 'Desk', 'price': 99})
expect('missing', region.get('none'), None)
expect('get several', [item['name'] for item in region.get('lamp', 'desk')['shop']], ['Lamp', 'Desk'])
expect('update', region.update('desk', {'name': 'Desk', 'price': 89}), True)
expect('update missing', region.update('none', {}), None)
expect('cas', region.compare_and_set('desk', {'name': 'Desk', 'price': 89}, {'name': 'Desk', 'price': 79}), True)
expect('cas again', region.compare_and_set('desk', {'name': 'Desk', 'price': 89}, {}), None)
expect('keys', sorted(region.keys()), ['desk', 'lamp'])
expect('all', len(region.get_all()), 2)
expect('ad hoc', client.adhoc_query("SELECT s.name FROM /shop s WHERE s.price > 50"), ['Desk'])
expect('functions', client.list_all_functions(), {'functions': []})
expect('delete', region.delete('lamp'), True)
expect('delete missing', region.delete('lamp'), None)
expect('clear', region.clear(), True)
expect('empty', region.get_all(), [])
print('ok')
`;

test(`${PACKAGE} of PyPI works with gridkeep as with GemFire`, async () => {
  const directory = mkdtempSync(join(tmpdir(), 'gridkeep-clients-'));
  try {
    const path = prepare(directory);
    await using service = await Service.start();
    await service.grid.createRegion({ name: 'shop' });
    const { stdout } = await promisify(execFile)(
      'python3',
      ['-c', SCENARIO, String(service.port)],
      { env: { ...process.env, PYTHONPATH: path } },
    );
    assert.match(stdout, /ok\n$/);
  } finally {
    rmSync(directory, { recursive: true });
  }
});

/** Downloads the client and its dependencies; returns their path for Python. */
function prepare(directory: string): string {
  const run = (program: string, ...args: readonly string[]): void => {
    execFileSync(program, args, { cwd: directory, stdio: ['ignore', 'ignore', 'inherit'] });
  };
  run('python3', '-m', 'pip', 'install', '--quiet', '--target', 'lib', 'requests', 'jsonpickle');
  run('python3', '-m', 'pip', 'download', '--quiet', '--no-deps', PACKAGE);
  const archive = readdirSync(directory).find((name) => name.endsWith('.tar.gz')) ?? '';
  run('tar', 'xzf', archive);
  const sources = join(directory, archive.replace('.tar.gz', ''), 'gemfire');
  for (const name of readdirSync(sources)) {
    const file = join(sources, name);
    const printed = readFileSync(file, 'utf8').replaceAll(/^( *)print (.+)$/gm, '$1print($2)');
    // In Python 2 the values of a dictionary were a list, and bodies were strings.
    const values = printed.replaceAll('item.values()', 'list(item.values())');
    writeFileSync(file, values.replaceAll('" ,".join(data)', 'data.text'));
  }
  return `${sources}:${join(directory, 'lib')}`;
}
