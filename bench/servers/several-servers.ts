// Several servers over one database, each a separate process: requests per second over HTTP, and the time
// to the first answer of a server that was paused.

import type { Engine, Region } from '../../src/engine/engine.ts';
import type { PostgresServer } from '../../src/engine/testing/postgres-server.ts';
import { GridkeepProcess } from '../../test/faults/gridkeep-process.ts';
import { keyOf, makeDocument, spread, type WorkOptions } from './engine-work.ts';
import { type HttpWork, measureHttp, NAMED_QUERY } from './http-work.ts';

const WORKS: readonly HttpWork[] = ['GET', 'PUT', 'named query', 'warm scan'];
const COUNT =
  '/queries/adhoc?q=SELECT%20COUNT(*)%20FROM%20%2Forders%20o%20WHERE%20o.total%20%3E%205000';

type StoreOption = { readonly store: string } | { readonly data: string };

/** One row per number of servers. */
export async function measureServers(
  storeOption: StoreOption,
  counts: readonly number[],
  work: WorkOptions,
  title: string,
): Promise<string[][]> {
  const processes: GridkeepProcess[] = [];
  const rows: string[][] = [];
  try {
    for (const count of counts) {
      while (processes.length < count) processes.push(await startServer(storeOption));
      const ports = processes.map(({ port }) => port);
      const row = [`${title}, ${count}`];
      for (const each of WORKS) {
        // Scans take much longer than the rest, so fewer clients are enough.
        const clients = each === 'warm scan' ? 4 : work.clients;
        row.push(String(Math.round(await measureHttp(ports, each, { ...work, clients }))));
      }
      rows.push(row);
    }
  } finally {
    for (const process of processes) await process.stop();
  }
  return rows;
}

/** Starts a server and loads a query and its columns, so that only warm requests are measured. */
async function startServer(storeOption: StoreOption): Promise<GridkeepProcess> {
  const process = await GridkeepProcess.start(storeOption);
  const id = 'by-customer';
  const path = `/queries?id=${id}&q=${encodeURIComponent(NAMED_QUERY)}`;
  // Another server may have created it before.
  await ask(process, 'POST', path, [201, 409]);
  for (let i = 0; i < 3; i += 1) {
    await ask(process, 'GET', COUNT);
    await ask(process, 'POST', `/queries/${id}`, [200], '[1]');
  }
  return process;
}

/** Milliseconds from the end of a pause to the first answer of a query, per number of changes. */
export async function measureCatchingUp(
  database: PostgresServer,
  { engine, region }: { readonly engine: Engine; readonly region: Region },
  changes: readonly number[],
  documents: number,
): Promise<string[][]> {
  const rows: string[][] = [];
  const process = await startServer({ store: database.url() });
  try {
    for (const count of changes) {
      await ask(process, 'GET', COUNT);
      process.signal('SIGSTOP');
      for (let from = 0; from < count; from += 1000) {
        const writes = Array.from({ length: Math.min(1000, count - from) }, (_, i) =>
          region.write([
            {
              kind: 'put',
              key: keyOf(spread(from + i, documents)),
              value: makeDocument(from + i + 1),
            },
          ]),
        );
        await Promise.all(writes);
      }
      await engine.catchUp();
      const startMs = performance.now();
      process.signal('SIGCONT');
      await ask(process, 'GET', COUNT);
      rows.push([String(count), `${(performance.now() - startMs).toFixed(0)} ms`]);
    }
  } finally {
    process.signal('SIGCONT');
    await process.stop();
  }
  return rows;
}

async function ask(
  { port }: GridkeepProcess,
  method: string,
  path: string,
  statuses: readonly number[] = [200],
  body?: string,
): Promise<void> {
  const headers = { 'Content-Type': 'application/json' };
  const request = body === undefined ? { method } : { method, body, headers };
  const reply = await fetch(`http://127.0.0.1:${port}/grid-api/v1${path}`, request);
  const text = await reply.text();
  if (!statuses.includes(reply.status)) throw new Error(`${reply.status} ${text}`);
}
