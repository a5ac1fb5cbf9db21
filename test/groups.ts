// The test files of `npm test` and `npm run test:long`, and which of them share a process. A separate
// process costs a file up to a second of loading, so files of one folder share one unless they need their
// own. `groups.test.ts` checks that no file is omitted.

import { globSync } from 'node:fs';
import { dirname } from 'node:path';

export type GroupName = 'units' | 'service' | 'long';

const PATTERNS: Readonly<Record<GroupName, readonly string[]>> = {
  /** Pure code and the specification over HTTP; coverage is counted here (`isCounted`). */
  units: ['src/**/*.test.ts', 'console/**/*.test.ts', 'test/spec/*.test.ts'],
  /** The whole service: processes, stores, browsers, and generated families (`cases`). */
  service: ['test/*.test.ts', 'test/!(spec)/**/*.{test,cases}.ts'],
  /** Load, package and benchmarks. */
  long: ['test/**/*.long.ts'],
};

/** Folders whose files share processes: they neither measure memory nor end shared resources. */
const SHARED = /^(src|console|test\/(spec|security|docs|openapi|geode|corpus|operations|oql))\//;
/** These too, except their long forms, which take minutes each. */
const SHARED_WHERE_QUICK =
  /^test\/(faults|consistency|input|oql|cluster\/(?!commands|consistency|full-disk|outage|tls))/;
const FILES_PER_PROCESS = 16;
/** Folders with few tests, which take less time than loading their modules. */
const SMALL = /^(console|src\/(client|config|observe|sample|value))\//;

/**
 * Unit tests that process many rows. Counting coverage costs a call per block, which makes their loops up
 * to three times as slow, and other tests run the same lines.
 */
const UNCOUNTED = /^src\/columns\/(followed-table|overwriting|part-split)\.test\.ts$/;

/** Files that start first because they take longest, so that short ones end last. */
const FIRST = [
  'test/console/console',
  'src/engine',
  'test/faults',
  'src/columns',
  'test/spec',
  'test/security',
  'test/consistency',
  'test/operations',
  'test/oql',
  'src/oql',
  'test/corpus',
  'test/input',
  'test/cluster/consistency',
  'test/cluster/outage',
  'test/geode',
  'test/docs',
  'test/cluster',
  'test/start',
];

/** Files of a group, sorted. */
export function filesOf(group: GroupName, root: string): readonly string[] {
  return globSync(PATTERNS[group], { cwd: root }).sort();
}

/**
 * Whether a file shares a process with others of its folder. Long ones do not, and families only
 * where they are quick.
 */
export function isShared(file: string): boolean {
  const isQuick = process.env['TEST_SHARE'] !== undefined;
  if (isQuick && SHARED_WHERE_QUICK.test(file)) return !file.endsWith('.long.ts');
  return SHARED.test(file) && !/\.(long|cases)\.ts$/.test(file);
}

/** Whether coverage of a file of `units` is counted, which is the same for all files of its process. */
export function isCounted(file: string): boolean {
  return !UNCOUNTED.test(file);
}

/**
 * Whether temporary files of a file are on a disk in `npm test`: it tests faults of disks, power cuts or
 * sizes of files. Those of others are in memory, where creating, syncing and removing a store costs less.
 */
export function isOnDisk(file: string): boolean {
  return /^test\/(faults|load|cluster\/full-disk)/.test(file);
}

/** Whether a file compares rates of one run: nothing else may run beside it. */
export function isUndisturbed(file: string): boolean {
  return /^test\/load\/.*\.long\.ts$/.test(file);
}

/** The files by process, the longest first. */
export function processesOf(files: readonly string[]): readonly (readonly string[])[] {
  const alone = files.filter((file) => !isShared(file)).map((file) => [file]);
  const folders = [true, false].flatMap((counted) => {
    const some = files.filter((file) => isShared(file) && isCounted(file) === counted);
    return Object.values(Object.groupBy(some, areaOf));
  });
  const shared = folders.flatMap((folder = []) => split(folder));
  const rank = ([file = '']: readonly string[]): number => {
    const at = FIRST.findIndex((folder) => file.startsWith(folder));
    return at === -1 ? FIRST.length : at;
  };
  return [...shared, ...alone].sort((a, b) => rank(a) - rank(b) || b.length - a.length);
}

/** The folder that shares a process: `src/oql` for everything below it, and one for all small ones. */
function areaOf(file: string): string {
  return SMALL.test(file) ? 'small' : dirname(file).split('/').slice(0, 2).join('/');
}

/** Splits files into parts of about equal size, each with files from the whole folder. */
function split(files: readonly string[]): readonly (readonly string[])[] {
  const parts = Math.ceil(files.length / FILES_PER_PROCESS);
  return Array.from({ length: parts }, (_, part) => files.filter((_, at) => at % parts === part));
}
