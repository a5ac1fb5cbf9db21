// Help about the commands that work on data without serving it.

import { printTable } from '../print-table.ts';

/** Columns of a terminal. */
export const HELP_WIDTH = 80;

export function printOptions(rows: readonly (readonly string[])[]): string {
  return printTable(rows, HELP_WIDTH);
}

const DATA = ['--data DIR', 'the data directory; the default is the one of "gridkeep start"'];
const CONFIG = ['--config FILE', 'read this config file instead of gridkeep.yaml'];
const STORE = ['--store URL', 'a PostgreSQL database, postgres://user@host/database'];
const STORES = [
  ['--data DIR', 'a data directory'],
  STORE,
  ['--url URL', 'a running service, for example http://127.0.0.1:7070'],
];

const LOGIN = `With --url, the login comes from the environment: GRIDKEEP_CLIENT_USER and
GRIDKEEP_CLIENT_PASSWORD, or GRIDKEEP_CLIENT_API_KEY.`;

export const TASK_HELP: Readonly<Record<string, () => string>> = {
  check: () => `gridkeep check [--data DIR | --store URL] [--config FILE]

Reads everything in a data directory and reports damage to pages, format,
checksums, counts, keys, values, versions and the change log. For a database, it
compares counts, versions and the change log. Changes nothing, and works while a
server runs. Exits with 1 when there is damage.

${printOptions([DATA, STORE, CONFIG])}`,
  'accept-loss': () => `gridkeep accept-loss --data DIR

Lets a store start again after "gridkeep check" or a start reported that acknowledged
commits are missing. All remaining data stays. The command reports the loss, corrects
the counts of the regions, and makes sure that no version is used twice. Copy the
directory first. Refused while a server has the directory open, and when there is
other damage.

${printOptions([['--data DIR', 'the data directory']])}`,
  backup: () => `gridkeep backup --to FILE [--data DIR] [--config FILE] [--force]

Copies one snapshot of the data into a file, whether or not a server is running.
The copy is checked in full before it is renamed to FILE.

${printOptions([['--to FILE', 'the file to write'], DATA, CONFIG, ['--force', 'replace FILE when it exists']])}`,
  restore: () => `gridkeep restore --from FILE --data DIR [--force]

Restores a backup into a directory that is empty or does not exist. The backup is
checked in full first. Refused while a server has the directory open.

${printOptions([
  ['--from FILE', 'the file that "gridkeep backup" wrote'],
  ['--data DIR', 'the new data directory'],
  ['--force', 'replace existing data'],
])}`,
  export:
    () => `gridkeep export (--data DIR | --store URL | --url URL) --region NAME [--to FILE] [--force]
gridkeep export (--data DIR | --store URL | --url URL) --all --to DIRECTORY [--compress KIND] [--force]

Writes entries as lines {"key":…,"value":…}, each value exactly as stored, in key
order. An export from a data directory, with or without a server, is one snapshot.
From a service, each page of 500 entries is a snapshot of its own.

${printOptions([
  ...STORES,
  ['--region NAME', 'this region'],
  ['--all', 'all regions, with a manifest of definitions, indexes and named queries'],
  ['--to FILE', 'compressed when it ends in .gz or .zst; default: standard output'],
  ['--compress KIND', 'of the files of --all: none, gzip or zstd'],
  ['--force', 'replace existing files'],
  CONFIG,
])}

${LOGIN}`,
  move: () => `gridkeep move --from STORE --to STORE [--config FILE]

Moves a grid from a data directory into a PostgreSQL database, or back: regions,
indexes, named queries and entries with their versions, which continue there. The
new store must be empty. Stop the servers of the old one first. The password comes
from GRIDKEEP_STORE_PASSWORD or store.password-file.

${printOptions([
  ['--from STORE', 'a data directory or postgres://user@host/database'],
  ['--to STORE', 'the same'],
  CONFIG,
])}`,
  import:
    () => `gridkeep import (--data DIR | --store URL | --url URL) --region NAME [--from FILE] [--key MEMBER] [--create]
gridkeep import (--data DIR | --store URL | --url URL) --all --from DIRECTORY [--create]
gridkeep import (--data DIR | --store URL | --url URL) (--region NAME | --all) --from-geode URL [--state FILE] [--create]

Creates or overwrites an entry for each line {"key":…,"value":…}, for each document of
a JSON array, for each member of a JSON object, or for each row of comma-separated
values under a header. Entries are written in batches, each whole or not at all; when
one cannot be written, the rest is skipped, and the command reports which line, element
or row was wrong and how many entries were written before it. With --url, entries that
the service refuses are named and left out, and the others are written. A data
directory must not be in use by a server.

${printOptions([
  ...STORES,
  ['--region NAME', 'into this region'],
  ['--all', 'all regions of an export'],
  ['--from FILE', 'decompressed when it ends in .gz or .zst; default: standard input'],
  ['--from-geode URL', 'the REST API of a running Apache Geode, for example http://127.0.0.1:7070'],
  [
    '--state FILE',
    'records the progress of an import from Geode; the same command resumes from there',
  ],
  ['--key MEMBER', 'the member or column that is the key, or a path a.b; default: id'],
  ['--format KIND', 'ndjson, json, csv or tsv; default: by the extension of FILE, or ndjson'],
  ['--create', 'create regions, and with --all indexes and named queries, that do not exist'],
  CONFIG,
])}

${LOGIN}`,
};
