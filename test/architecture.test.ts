// Checks the rules of the code: allowed imports, lengths of files, and that the documentation matches the
// code. ARCHITECTURE.md shows the same table.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { environmentName, SETTING_PATHS } from '../src/config/setting-names.ts';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const SRC = join(ROOT, 'src');
const CONSOLE = join(ROOT, 'console');
const MAX_LINES = 400;
const STATUS_TABLE = join(SRC, 'http', 'response', 'error-rules.ts');

interface ImportRule {
  /** Parts of `src` that it may import: a folder, or one file of it. */
  readonly from: readonly string[];
  /** Packages that it may use; `node:` means every module of Node. */
  readonly packages: readonly string[];
}

const IMPORT_RULES: Readonly<Record<string, ImportRule>> = {
  value: { from: [], packages: [] },
  observe: { from: [], packages: ['node:'] },
  oql: { from: ['value'], packages: [] },
  columns: { from: ['value'], packages: [] },
  engine: { from: ['value'], packages: [] },
  'engine/memory': { from: ['engine', 'value'], packages: [] },
  'engine/sqlite': { from: ['engine', 'value'], packages: ['node:'] },
  'engine/postgres': { from: ['engine', 'value'], packages: ['node:', 'pg'] },
  grid: { from: ['value', 'oql/index.ts', 'columns', 'engine', 'observe'], packages: [] },
  http: {
    from: ['value', 'grid', 'observe', 'config/auth-settings.ts'],
    packages: ['node:', 'jose'],
  },
  config: { from: ['value'], packages: ['node:', 'yaml'] },
  sample: { from: ['grid'], packages: [] },
  app: {
    from: [
      'value',
      'observe',
      'engine',
      'engine/memory',
      'engine/sqlite',
      'engine/postgres',
      'grid',
      'http/index.ts',
      'config',
      'sample',
    ],
    packages: ['node:'],
  },
  client: { from: [], packages: [] },
  cli: { from: ['app/index.ts', 'client/index.ts', 'config', 'value'], packages: ['node:'] },
  main: { from: ['cli'], packages: [] },
  console: {
    from: ['client/index.ts', 'oql/vocabulary.ts', 'value/json-text.ts'],
    packages: ['preact', '@preact/signals', '@codemirror/*', '@lezer/*', 'uplot'],
  },
};

/**
 * The parts of the language, each with those it may import. `columnar` and `methods` have what planner
 * and executor share; the planner reads data through its own port (`plan-data.ts`).
 */
const OQL_WALLS: Readonly<Record<string, readonly string[]>> = {
  syntax: [],
  methods: [],
  functions: [],
  bind: ['syntax', 'methods', 'functions'],
  columnar: ['bind', 'methods'],
  plan: ['bind', 'columnar'],
  reference: ['syntax', 'methods', 'functions', 'bind'],
  execute: ['syntax', 'methods', 'functions', 'bind', 'columnar', 'plan', 'reference'],
};

/** Folders that ARCHITECTURE.md explains by their last name, wherever they are. */
const BY_NAME = ['testing', 'testdata'];

/** Folders with files that belong to the project, not what a build, a run or a developer adds. */
function listFolders(): readonly string[] {
  const { stdout } = spawnSync('git', ['ls-files', '-z'], { cwd: ROOT, encoding: 'utf8' });
  // Empty outside of a git checkout, such as in an unpacked archive.
  const files = stdout ? stdout.split('\0') : listUnignored('');
  return [...new Set(files.flatMap(foldersAround))].sort();
}

function listUnignored(folder: string): readonly string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((item) => {
    const path = folder + item.name;
    if (!item.isDirectory()) return [path];
    return IGNORED.has(`${path}/`) || IGNORED.has(`${item.name}/`) ? [] : listUnignored(`${path}/`);
  });
}

const IGNORED = new Set(['.git/', ...readFileSync(join(ROOT, '.gitignore'), 'utf8').split('\n')]);

/** `a` and `a/b` for `a/b/c.ts`. */
function foldersAround(file: string): readonly string[] {
  const names = file.split('/').slice(0, -1);
  return names.map((_, at) => names.slice(0, at + 1).join('/'));
}

/** `a/{b,c}` as `a/b` and `a/c`. */
function expand(name: string): readonly string[] {
  const [, before = '', choices] = /^(.*)\{(.*)\}$/.exec(name) ?? [];
  return choices === undefined ? [name] : choices.split(',').map((choice) => before + choice);
}

const sources = [...listFiles(SRC), ...listFiles(CONSOLE)].filter((file) => /\.tsx?$/.test(file));
const program = sources.filter((file) => !isTestCode(file));

test('there is something to check', () => {
  assert.ok(program.length > 50, `only ${program.length} files under src`);
  assert.ok(program.flatMap(importsOf).length > 200);
});

test('every folder of src has its row in the table of imports', () => {
  const parts = new Set(program.map(partOf));
  assert.deepEqual(
    [...parts].filter((part) => !Object.hasOwn(IMPORT_RULES, part)),
    [],
  );
});

test('ARCHITECTURE.md shows the table of imports', () => {
  const text = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8');
  const [, section = ''] = text.split('## 5. Who may import whom');
  const rows = section.split('\n## ')[0]?.match(/^\| `.*$/gm) ?? [];
  const expected = Object.entries(IMPORT_RULES).map(
    ([part, { from, packages }]) =>
      `| \`${part}\` | ${printNames(from)} | ${printNames(packages)} |`,
  );
  assert.deepEqual(rows, expected);
});

test('ARCHITECTURE.md names every folder', () => {
  const text = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8');
  const [, section = ''] = text.split('## 4. Code map');
  const map = section.split('\n## ')[0] ?? '';
  const named = [...map.matchAll(/`([^`]+)`/g)].flatMap(([, name = '']) => expand(name));
  assert.ok(BY_NAME.every((name) => named.includes(name)));
  const folders = listFolders();
  assert.ok(folders.length > 100, `only ${folders.length} folders`);
  const seen = new Set(named.flatMap((name) => foldersAround(`${name}/`)));
  const missing = folders.filter(
    (folder) => !seen.has(folder) && !folder.split('/').some((name) => BY_NAME.includes(name)),
  );
  assert.deepEqual(missing, []);
});

test('the folders of an archive without git are those of the checkout', () => {
  const archive = new Set(listUnignored('').flatMap(foldersAround));
  assert.deepEqual(
    listFolders().filter((folder) => !archive.has(folder)),
    [],
  );
  for (const folder of ['node_modules', '.git', 'data', 'dist']) assert.ok(!archive.has(folder));
});

test('every note of a decision begins with what was decided, and why', () => {
  const folder = join(ROOT, 'docs', 'decisions');
  const notes = readdirSync(folder).filter((name) => name !== 'README.md');
  assert.ok(notes.length > 60);
  const others = notes.filter((name) => {
    const [, , paragraph = ''] = readFileSync(join(folder, name), 'utf8').split('\n');
    // At least two sentences: what, and why.
    return !/^\*\*Decided:\*\* .{40,}[.;:] .{20,}[.:]$/u.test(paragraph);
  });
  assert.deepEqual(others, []);
});

test('every import is allowed for its folder', () => {
  const breaches = program.flatMap((file) =>
    importsOf(file)
      .filter((target) => !isAllowed(file, target))
      .map((target) => `${shown(file)} imports ${target}`),
  );
  assert.deepEqual(breaches, []);
});

test('every import is allowed for its part of the language', () => {
  const files = program.filter((file) => /^oql\/[^/]+\//.test(shown(file)));
  assert.ok(files.length > 100, `only ${files.length} files`);
  const breaches = files.flatMap((file) =>
    importsOf(file)
      .filter((target) => target.startsWith('.') && !isOqlAllowed(file, target))
      .map((target) => `${shown(file)} imports ${target}`),
  );
  assert.deepEqual(breaches, []);
  assert.equal(isOqlAllowed(join(SRC, 'oql', 'plan', 'x.ts'), '../execute/run.ts'), false);
  assert.equal(isOqlAllowed(join(SRC, 'oql', 'bind', 'x.ts'), '../plan/optimize.ts'), false);
  assert.equal(isOqlAllowed(join(SRC, 'oql', 'reference', 'x.ts'), '../execute/x.ts'), false);
  assert.equal(isOqlAllowed(join(SRC, 'oql', 'execute', 'x.ts'), '../plan/optimize.ts'), true);
});

test('the program never imports test code', () => {
  const breaches = program.flatMap((file) =>
    importsOf(file)
      .filter((target) => target.startsWith('.') && isTestCode(resolve(dirname(file), target)))
      .map((target) => `${shown(file)} imports ${target}`),
  );
  assert.deepEqual(breaches, []);
});

test('control: an import that is not in the row is detected', () => {
  const file = join(SRC, 'value', 'x.ts');
  assert.equal(isAllowed(file, './y.ts'), true);
  assert.equal(isAllowed(file, '../grid/grid.ts'), false);
  assert.equal(isAllowed(file, 'node:fs'), false);
  assert.equal(isAllowed(file, 'yaml'), false);
  const grid = join(SRC, 'grid', 'x.ts');
  assert.equal(isAllowed(grid, '../oql/index.ts'), true);
  assert.equal(isAllowed(grid, '../oql/syntax/parse.ts'), false);
  assert.equal(isAllowed(grid, '../engine/engine.ts'), true);
  assert.equal(isAllowed(grid, '../engine/sqlite/sqlite-engine.ts'), false);
  const screen = join(CONSOLE, 'screens', 'x.tsx');
  assert.equal(isAllowed(screen, '../../src/client/index.ts'), true);
  assert.equal(isAllowed(screen, '../../src/client/transport.ts'), false);
  assert.equal(isAllowed(screen, '../../src/grid/index.ts'), false);
  assert.equal(isAllowed(screen, '../design/button.tsx'), true);
  assert.equal(isAllowed(screen, 'preact/hooks'), true);
  assert.equal(isAllowed(screen, '@codemirror/view'), true);
  assert.equal(isAllowed(screen, 'preact-router'), false);
  const engine = join(SRC, 'engine', 'memory', 'x.ts');
  assert.equal(isAllowed(engine, '../sqlite/sqlite-engine.ts'), false);
});

test('every form of import is detected', () => {
  const text = [
    "import a from './a.ts';",
    'import {\n  b,\n  type C,\n} from "./b.ts";',
    "export { d } from './d.ts';",
    "import './e.ts';",
    "const f = await import('./f.ts');",
    "new Worker(new URL('./g.ts', import.meta.url));",
  ].join('\n');
  assert.deepEqual(findImports(text), ['./a.ts', './b.ts', './d.ts', './e.ts', './f.ts', './g.ts']);
});

test(`no file of the program is longer than ${MAX_LINES} lines`, () => {
  const long = program
    .map((file) => [shown(file), readFileSync(file, 'utf8').split('\n').length - 1] as const)
    .filter(([, lines]) => lines > MAX_LINES);
  assert.deepEqual(long, []);
});

test('docs/errors.md names every error code with its status, and no other', () => {
  const catalogues = sources.filter((file) => /^[^/]+\/errors\.ts$/.test(shown(file)));
  const statuses = new Map(
    [...readFileSync(STATUS_TABLE, 'utf8').matchAll(/'([a-z]+\/[a-z-]+)': \{ status: (\d+)/g)].map(
      ([, code = '', status = '']) => [code, status],
    ),
  );
  const codes = new Set([
    ...catalogues.flatMap((file) => findCodes(readFileSync(file, 'utf8'))),
    ...statuses.keys(),
  ]);
  assert.ok(catalogues.length >= 4 && codes.size > 40, 'too few error codes were found');
  const text = readDoc('errors.md');
  const documented = new Set(
    [...text.matchAll(/`([a-z]+\/[a-z-]+)`/g)]
      .map(([, code = '']) => code)
      .filter((code) => !code.startsWith('application/')),
  );
  assert.deepEqual([...codes].filter((code) => !documented.has(code)).sort(), [], 'not documented');
  assert.deepEqual(
    [...documented].filter((code) => !codes.has(code)).sort(),
    [],
    'not in the code',
  );
  for (const [code, status] of statuses) {
    assert.ok(
      text.includes(`| \`${code}\` | ${status} |`),
      `the row of ${code} must say ${status}`,
    );
  }
});

test('every decision note begins with its number and what was decided, and is listed', () => {
  const folder = join(ROOT, 'docs/decisions');
  const index = readFileSync(join(folder, 'README.md'), 'utf8');
  const notes = readdirSync(folder).filter((name) => name !== 'README.md');
  assert.ok(notes.length > 80, `${notes.length} notes`);
  for (const name of notes) {
    const text = readFileSync(join(folder, name), 'utf8');
    assert.match(text, new RegExp(`^# ${name.slice(0, 4)}: .+\n\n\\*\\*Decided:\\*\\* `), name);
    assert.ok(index.includes(`(${name})`), `${name} is not in the README`);
  }
});

test('docs/config.md names every setting and its variable, and no other', () => {
  assert.ok(SETTING_PATHS.length > 30);
  const text = readDoc('config.md');
  for (const path of SETTING_PATHS) {
    assert.ok(text.includes(`\`${path}\``), path);
    assert.ok(text.includes(`\`${environmentName(path)}\``), environmentName(path));
  }
  const rows = [...text.matchAll(/^\| `([a-z]+\.[a-z-]+)` \|/gm)].map(([, path]) => path);
  assert.deepEqual(rows, SETTING_PATHS);
});

function listFiles(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((item) => item.isFile())
    .map((item) => join(item.parentPath, item.name));
}

function isTestCode(file: string): boolean {
  return file.endsWith('.test.ts') || file.includes('/testing/');
}

function shown(file: string): string {
  return relative(SRC, file);
}

/** The row of a file: `engine/sqlite` for an adapter, else its first folder. */
function partOf(file: string): string {
  const [first = '', second = ''] = shown(file).split('/');
  if (first === 'main.ts') return 'main';
  if (first === '..' && second === 'console') return 'console';
  const isAdapter = first === 'engine' && !second.endsWith('.ts');
  return isAdapter ? `${first}/${second}` : first;
}

function printNames(names: readonly string[]): string {
  const shownNames = names.map((name) => (name === 'node:' ? 'Node' : `\`${name}\``));
  return shownNames.length === 0 ? '–' : shownNames.join(', ');
}

function importsOf(file: string): readonly string[] {
  return findImports(readFileSync(file, 'utf8'));
}

const IMPORTS =
  /^(?:import|export)\s[^'";]*?from\s*['"]([^'"]+)['"]|^import\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]|\bnew URL\(\s*['"](\.[^'"]+\.ts)['"]/gm;

function findImports(text: string): readonly string[] {
  return [...text.matchAll(IMPORTS)].map(([, a, b, c, d]) => a ?? b ?? c ?? d ?? '');
}

function isAllowed(file: string, target: string): boolean {
  const part = partOf(file);
  const wall = IMPORT_RULES[part] ?? { from: [], packages: [] };
  if (!target.startsWith('.')) {
    return wall.packages.some((name) => {
      if (name.endsWith(':')) return target.startsWith(name);
      const folder = name.endsWith('/*') ? name.slice(0, -1) : `${name}/`;
      return target === name || target.startsWith(folder);
    });
  }
  const found = resolve(dirname(file), target);
  const targetPart = partOf(found);
  return targetPart === part || wall.from.includes(targetPart) || wall.from.includes(shown(found));
}

/** Files beside the parts, such as `errors.ts`, may be imported by all of them. */
function isOqlAllowed(file: string, target: string): boolean {
  const [, room = ''] = shown(file).split('/');
  const [folder, other = ''] = shown(resolve(dirname(file), target)).split('/');
  if (folder !== 'oql' || other.endsWith('.ts') || other === room) return true;
  return OQL_WALLS[room]?.includes(other) ?? false;
}

/** The members of `type …ErrorCode = 'a/b' | …`. */
function findCodes(text: string): readonly string[] {
  const unions = [...text.matchAll(/type \w+ErrorCode =([^;]+);/g)].map(([, union]) => union ?? '');
  return unions.flatMap((union) => [...union.matchAll(/'([^']+)'/g)].map(([, code]) => code ?? ''));
}

function readDoc(name: string): string {
  const file = join(ROOT, 'docs', name);
  assert.ok(existsSync(file), `docs/${name} is missing`);
  return readFileSync(file, 'utf8');
}
