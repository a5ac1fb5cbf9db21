// TLS to the database: verified by default for other hosts; a wrong certificate is refused at once with
// one sentence.

import assert from 'node:assert/strict';
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, it } from 'node:test';
import { openPostgresEngine } from '../../src/engine/postgres/postgres-engine.ts';
import { PostgresServer } from '../../src/engine/testing/postgres-server.ts';
import { GridkeepProcess } from '../faults/gridkeep-process.ts';
import { createSelfSigned } from '../security/self-signed.ts';

const NOBODY = 65_534;
/** A name for 127.0.0.1 that is neither a loopback name nor in the certificate. */
const OTHER_NAME = '127.1';

const directory = mkdtempSync(join(tmpdir(), 'gridkeep-tls-'));
chmodSync(directory, 0o755);
const { certificate, key } = createSelfSigned('database');
const certificateFile = writeFor('certificate.pem', certificate);
const server = await PostgresServer.start({
  settings: {
    ssl: 'on',
    ssl_cert_file: certificateFile,
    ssl_key_file: writeFor('key.pem', key),
  },
});
const plainServer = await PostgresServer.start();
after(async () => {
  await server[Symbol.asyncDispose]();
  await plainServer[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true });
});

/** Writes a file that only the database may read. */
function writeFor(name: string, content: string): string {
  const file = join(directory, name);
  writeFileSync(file, content, { mode: 0o600 });
  if (process.getuid?.() === 0) chownSync(file, NOBODY, NOBODY);
  return file;
}

function address(host: string, parameters: string, port: number = server.port): string {
  return `postgres://gridkeep@${host}:${port}/postgres?${parameters}`;
}

const trusted = `sslrootcert=${encodeURIComponent(certificateFile)}`;

for (const [host, parameters] of [
  ['localhost', `sslmode=verify-full&${trusted}`],
  ['127.0.0.1', `sslmode=verify-full&${trusted}`],
  [OTHER_NAME, `sslmode=verify-ca&${trusted}`],
  [OTHER_NAME, 'sslmode=require'],
] as const) {
  it(`speaks TLS to ${host} with ${parameters.split('&')[0]}`, async () => {
    const engine = await openPostgresEngine({ url: address(host, parameters) });
    try {
      await engine.createRegion({
        name: 'orders',
        type: 'REPLICATE',
        keyConstraint: null,
        valueConstraint: null,
      });
      const connections = await server.query(
        "SELECT s.ssl FROM pg_stat_ssl s JOIN pg_stat_activity a USING (pid) WHERE a.application_name = 'gridkeep'",
      );
      assert.ok(connections.length > 0);
      assert.ok(connections.every(({ ssl }) => ssl === true));
      await engine.destroyRegion('orders');
    } finally {
      await engine.close();
    }
  });
}

for (const [name, url, message] of [
  [
    'an authority that nobody named',
    address('localhost', 'sslmode=verify-full'),
    /^The store cannot be reached: localhost:\d+: its certificate is signed by an authority that is not trusted; sslrootcert names a file/,
  ],
  [
    'a name that is not in the certificate, by default',
    address(OTHER_NAME, trusted),
    /its certificate is for other names than 127\.1$/,
  ],
  [
    'a database without TLS, by default',
    address(OTHER_NAME, trusted, plainServer.port),
    /it does not accept TLS connections; sslmode=disable connects without TLS$/,
  ],
  [
    'a file of certificates that is not there',
    address('localhost', 'sslmode=verify-full&sslrootcert=/none.pem'),
    /sslrootcert cannot be read \(ENOENT\)$/,
  ],
  [
    'a database that is not there',
    `postgres://gridkeep@127.0.0.1:${server.port}/none`,
    /database "none" does not exist$/,
  ],
] as const) {
  it(`refuses ${name}, at once`, async () => {
    const startedMs = performance.now();
    const opening = openPostgresEngine({ url });
    await assert.rejects(opening, { code: 'engine/unreachable', message });
    // A starting database is waited for twice as long.
    assert.ok(performance.now() - startedMs < 7500);
  });
}

it('reports it with one sentence when the server starts', async () => {
  const { code, err } = await GridkeepProcess.refuse({ store: address(OTHER_NAME, trusted) });
  assert.equal(code, 1);
  assert.match(err, /certificate is for other names than 127\.1/);
  assert.doesNotMatch(err, /\n\s+at /, 'no stack');
});
