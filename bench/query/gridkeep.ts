// gridkeep under measurement: a store on disk, the grid over it, and the same
// grid behind HTTP, all in this process.

import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Change } from '../../src/engine/engine.ts';
import { openSqliteEngine } from '../../src/engine/sqlite/sqlite-engine.ts';
import { defaultLimits, Grid } from '../../src/grid/index.ts';
import { startServer } from '../../src/http/server.ts';
import { observeNothing } from '../../src/observe/observation.ts';
import { CUSTOMERS, makeCustomer, makeOrder, orderJson } from './orders.ts';

export interface Gridkeep {
  readonly grid: Grid;
  readonly port: number;
  /** Takes the whole result as JSON; gives its length in characters. */
  run(oql: string): Promise<number>;
  /** The same over HTTP. */
  runOverHttp(oql: string): Promise<number>;
  close(): Promise<void>;
}

const ROWS_PER_WRITE = 5000;

export async function openGridkeep(orders: number): Promise<Gridkeep> {
  const directory = await mkdtemp(join(tmpdir(), 'gridkeep-bench-'));
  const engine = await openSqliteEngine({ directory });
  const grid = await Grid.open({
    engine,
    limits: defaultLimits,
    observe: observeNothing,
    servers: () => [],
    now: () => performance.now(),
    pause: () => new Promise((resolve) => setImmediate(resolve)),
    isMemoryLow: () => false,
  });
  await load('orders', orders, (row) => orderJson(makeOrder(row)));
  await load('customers', CUSTOMERS, (row) => JSON.stringify(makeCustomer(row)));
  const server = await startServer(serverOptions(grid));
  const port = server.port;

  async function load(name: string, count: number, json: (row: number) => string): Promise<void> {
    await grid.createRegion({ name });
    const region = await engine.openRegion(name);
    for (let from = 0; from < count; from += ROWS_PER_WRITE) {
      const changes = Array.from(
        { length: Math.min(ROWS_PER_WRITE, count - from) },
        (_, i): Change => ({
          kind: 'put',
          key: String(from + i).padStart(8, '0'),
          value: json(from + i),
        }),
      );
      await region?.write(changes);
    }
  }

  return {
    grid,
    port,
    run: async (oql) => {
      let length = 0;
      const request = { oql, parameters: [], signal: new AbortController().signal };
      for await (const piece of grid.runQuery(request)) length += piece.length;
      return length;
    },
    runOverHttp: (oql) => fetchLength(port, oql),
    close: async () => {
      await server.close();
      grid.close();
      await engine.close();
      await rm(directory, { recursive: true });
    },
  };
}

async function fetchLength(port: number, oql: string): Promise<number> {
  const path = `/grid-api/v1/queries/adhoc?q=${encodeURIComponent(oql)}`;
  const [response] = await once(get({ port, path }), 'response');
  let length = 0;
  for await (const chunk of response) length += chunk.length;
  if (response.statusCode !== 200) throw new Error(`${oql}: status ${response.statusCode}`);
  return length;
}

function serverOptions(grid: Grid): Parameters<typeof startServer>[0] {
  return {
    host: '127.0.0.1',
    port: 0,
    trace: 'safe',
    observe: observeNothing,
    now: () => performance.now(),
    api: {
      grid,
      limits: { maxBodyBytes: 8 << 20, maxJsonDepth: 200, maxKeysPerRequest: 1000 },
      newKey: () => crypto.randomUUID(),
      printMetrics: async () => '',
      printConfig: () => '{}',
    },
    limits: {
      headersTimeoutMs: 10_000,
      requestTimeoutMs: 60_000,
      timeoutCheckMs: 1000,
      keepAliveTimeoutMs: 5000,
      idleSocketMs: 60_000,
      stalledClientMs: 30_000,
      maxConnections: 4096,
      maxRequestsInFlight: 256,
      maxHeaderBytes: 32_768,
      maxHeaders: 100,
      maxUrlBytes: 32_768,
    },
  };
}
