// A bulk load of many documents over HTTP, compared with writing the same batches directly into SQLite,
// both synced to disk. Only the ratio counts, and that memory stays constant.

import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { GridkeepProcess } from '../../test/faults/gridkeep-process.ts';
import { median, printTable } from '../shared/tables.ts';

const BATCH = 1000;
const DOCUMENT_BYTES = 340;
const MIB = 1024 * 1024;
const API = '/grid-api/v1';
const ADMIN = '/grid-admin/v1';

const filler = 'lorem ipsum dolor sit amet '.repeat(20);

function keyOf(i: number): string {
  return `order-${String(i).padStart(9, '0')}`;
}

function documentOf(i: number): string {
  const text = `{"id":${i},"status":"${i % 3 === 0 ? 'paid' : 'placed'}","total":${(i % 9973) + 0.5},"text":"`;
  return `${text}${filler.slice(0, DOCUMENT_BYTES - text.length - 2)}"}`;
}

/** Documents per second. */
function writeDirectly(documents: number): number {
  const directory = mkdtempSync(join(tmpdir(), 'gridkeep-bench-'));
  const database = new DatabaseSync(join(directory, 'direct.db'));
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
  database.exec(
    'CREATE TABLE entries("key" TEXT PRIMARY KEY, version INTEGER NOT NULL, value TEXT NOT NULL) WITHOUT ROWID',
  );
  const insert = database.prepare('INSERT OR REPLACE INTO entries VALUES(?, ?, ?)');
  const startedMs = performance.now();
  for (let i = 0; i < documents; i += BATCH) {
    database.exec('BEGIN IMMEDIATE');
    for (let j = i; j < Math.min(i + BATCH, documents); j += 1) {
      insert.run(keyOf(j), i, documentOf(j));
    }
    database.exec('COMMIT');
  }
  const seconds = (performance.now() - startedMs) / 1000;
  database.close();
  rmSync(directory, { recursive: true });
  return documents / seconds;
}

interface Loaded {
  readonly perSecond: number;
  /** Memory after each fifth of the documents. */
  readonly fifths: readonly number[];
}

async function loadBulk(documents: number): Promise<Loaded> {
  const directory = mkdtempSync(join(tmpdir(), 'gridkeep-bench-'));
  await using service = await GridkeepProcess.start({ data: join(directory, 'data') });
  await fetch(`http://127.0.0.1:${service.port}${ADMIN}/regions`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{"name":"orders"}',
  });
  const sent = httpRequest({
    port: service.port,
    method: 'POST',
    path: `${API}/orders/_bulk`,
    headers: { 'Content-Type': 'application/x-ndjson' },
  });
  const answered = once(sent, 'response');
  const startedMs = performance.now();
  const fifths: number[] = [];
  for (let i = 0; i < documents; i += BATCH) {
    let piece = '';
    for (let j = i; j < Math.min(i + BATCH, documents); j += 1) {
      piece += `{"key":"${keyOf(j)}","value":${documentOf(j)}}\n`;
    }
    if (!sent.write(piece)) await once(sent, 'drain');
    if (i + BATCH >= (documents / 5) * (fifths.length + 1)) fifths.push(service.anonymousBytes());
  }
  sent.end();
  const [answer] = await answered;
  let text = '';
  for await (const part of answer) text += String(part);
  const seconds = (performance.now() - startedMs) / 1000;
  const { succeeded } = JSON.parse(text);
  if (succeeded !== documents) throw new Error(`Only ${succeeded} were written: ${text}`);
  await service.stop();
  rmSync(directory, { recursive: true });
  return { perSecond: documents / seconds, fifths };
}

/** The table of figures. */
export async function measureBulk(documents: number, rounds: number): Promise<string> {
  const direct: number[] = [];
  const loads: Loaded[] = [];
  for (let round = 0; round < rounds; round += 1) {
    direct.push(writeDirectly(documents));
    loads.push(await loadBulk(documents));
  }
  const bulk = median(loads.map(({ perSecond }) => perSecond));
  const ratio = bulk / median(direct);
  const memory = [0, 1, 2, 3, 4].map((fifth) => {
    const bytes = median(loads.map(({ fifths }) => fifths[fifth] ?? 0));
    return `${Math.round(bytes / MIB)}`;
  });
  return printTable([
    [`bulk load of ${documents} documents`, 'found', 'bar'],
    ['directly into SQLite, documents/s', Math.round(median(direct)).toLocaleString('en'), ''],
    ['through _bulk, documents/s', Math.round(bulk).toLocaleString('en'), '60,000, or'],
    ['ratio', ratio.toFixed(2), '0.5'],
    ['memory after each fifth, MiB', memory.join(', '), 'flat'],
  ]);
}
