// The table in docs/config.md is generated from the setting table. UPDATE_GOLDEN=1 rewrites it; the text
// around it is kept.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import type { SettingPath } from '../../src/config/config.ts';
import { environmentName, SETTING_FLAGS, SETTING_PATHS } from '../../src/config/setting-names.ts';
import { SETTINGS } from '../../src/config/setting-table.ts';

const FILE = new URL('../../docs/config.md', import.meta.url);
const BEGIN = '<!-- settings: begin -->\n';
const END = '<!-- settings: end -->';

test('docs/config.md shows the current setting table', () => {
  const text = readFileSync(FILE, 'utf8');
  const [before, rest] = text.split(BEGIN);
  const [shown, after] = (rest ?? '').split(END);
  assert.ok(
    before !== undefined && shown !== undefined && after !== undefined,
    'marks are missing',
  );
  if (process.env['UPDATE_GOLDEN'] === '1') {
    writeFileSync(FILE, before + BEGIN + printSettings() + END + after);
    return;
  }
  assert.equal(shown, printSettings());
});

function printSettings(): string {
  const head =
    '| Setting | Default | Takes | Variable | Flag | Meaning |\n|---|---|---|---|---|---|\n';
  const groups = Map.groupBy(SETTING_PATHS, (path) => path.slice(0, path.indexOf('.')));
  return [...groups]
    .map(([group, paths]) => `### ${group}\n\n${head}${paths.map(printRow).join('')}\n`)
    .join('');
}

function printRow(path: SettingPath): string {
  const { doc, fallback } = SETTINGS[path];
  const flags = SETTING_FLAGS.filter((flag) => flag.path === path).map(
    ({ name }) => `\`--${name}\``,
  );
  const cells = [
    `\`${path}\``,
    `\`${typeof fallback === 'string' ? fallback : JSON.stringify(fallback)}\``,
    printKind(path),
    `\`${environmentName(path)}\``,
    flags.join(', '),
    doc,
  ];
  return `| ${cells.join(' | ')} |\n`;
}

function printKind(path: SettingPath): string {
  const { type } = SETTINGS[path];
  switch (type.kind) {
    case 'integer':
    case 'bytes': {
      const noun = type.kind === 'bytes' ? 'bytes' : 'number';
      return type.max === Number.MAX_SAFE_INTEGER
        ? `${noun} ≥ ${type.min}`
        : `${noun} ${type.min}–${type.max}`;
    }
    case 'choice':
      return type.words.join(', ');
    case 'switch':
      return 'on, off';
    case 'text':
      return 'text';
    case 'list':
      return 'list';
  }
}
