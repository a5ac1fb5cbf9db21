// `gridkeep config`: what `start` would run with.

import { loadSettings } from '../load-settings.ts';
import { printTable } from '../print-table.ts';
import { EXIT, type Terminal } from '../terminal.ts';

export async function runConfig(args: readonly string[], terminal: Terminal): Promise<number> {
  const settings = await loadSettings(args, terminal);
  if (settings === undefined) return EXIT.usage;
  const { declarations, effective } = settings.loaded;
  terminal.print(
    printTable([
      ...effective.map(({ origin, path, value }) => [path, printValue(value), origin.name]),
      ...declarations.regions.map(({ name, type }) => ['regions', name, type]),
      ...declarations.queries.map(({ id, oql }) => ['queries', id, oql.replaceAll(/\s+/g, ' ')]),
    ]),
  );
  return EXIT.ok;
}

function printValue(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
