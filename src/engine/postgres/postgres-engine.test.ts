import { after } from 'node:test';
import type { Engine } from '../engine.ts';
import { engineContract } from '../testing/engine-contract.ts';
import { PostgresServer } from '../testing/postgres-server.ts';
import { openPostgresEngine } from './postgres-engine.ts';

const server = await PostgresServer.start();
after(() => server[Symbol.asyncDispose]());

const schemas = new WeakMap<Engine, string>();
const maxSnapshots = 20;
let count = 0;

engineContract('the postgres engine', {
  async open(context, options = {}) {
    count += 1;
    const schema = `contract_${count}`;
    const engine = await openPostgresEngine({ ...options, maxSnapshots, url: server.url(schema) });
    schemas.set(engine, schema);
    context.after(() => engine.close());
    return engine;
  },
  async openAnother(context, engine) {
    const another = await openPostgresEngine({
      maxSnapshots,
      url: server.url(schemas.get(engine)),
    });
    context.after(() => another.close());
    return another;
  },
  maxSnapshots,
  reopen: (closed) => openPostgresEngine({ url: server.url(schemas.get(closed)) }),
});
