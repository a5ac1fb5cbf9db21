import assert from 'node:assert/strict';
import { it } from 'node:test';
import { parseStoreUrl, printAddress, tlsOptions } from './connection-url.ts';

it('reads hosts, user, database and schema', () => {
  const address = parseStoreUrl('postgres://me@db1:5433,[2001:db8::1],db3/grid?schema=shop');
  assert.deepEqual(address, {
    hosts: [
      { host: 'db1', port: 5433 },
      { host: '2001:db8::1', port: 5432 },
      { host: 'db3', port: 5432 },
    ],
    user: 'me',
    database: 'grid',
    schema: 'shop',
    sslMode: 'verify-full',
    rootCertificate: undefined,
  });
  assert.equal(printAddress(address), 'db1:5433,2001:db8::1:5432,db3:5432/grid');
  const short = parseStoreUrl('postgresql://localhost');
  assert.deepEqual(
    [short.user, short.database, short.schema],
    ['gridkeep', 'gridkeep', 'gridkeep'],
  );
});

it('verifies TLS by default unless all hosts are on this machine', () => {
  const modeOf = (url: string): string => parseStoreUrl(url).sslMode;
  assert.equal(modeOf('postgres://127.0.0.1,localhost,[::1]/x'), 'disable');
  assert.equal(modeOf('postgres://%2Frun%2Fpostgresql/x'), 'disable');
  assert.equal(modeOf('postgres://localhost,db.example.com/x'), 'verify-full');
  assert.equal(modeOf('postgres://db.example.com/x?sslmode=disable'), 'disable');
  const tls = (mode: string) =>
    tlsOptions(parseStoreUrl(`postgres://db.example.com/x?sslmode=${mode}`));
  assert.equal(tls('disable'), false);
  const full = tls('verify-full');
  assert.ok(full !== false && full.rejectUnauthorized === true);
  assert.equal(full.checkServerIdentity, undefined);
  assert.equal(Object(tls('require')).rejectUnauthorized, false);
  assert.equal(Object(tls('verify-ca')).rejectUnauthorized, true);
});

it('refuses malformed addresses and passwords without repeating them', () => {
  for (const url of [
    'mysql://db/x',
    'postgres://',
    'postgres://me:geheim@db/x',
    'postgres://db/x?sslmode=maybe',
    'postgres://db/x?password=geheim',
    'postgres://db/x?schema=Robert;drop',
    'postgres://db:port/x',
  ]) {
    assert.throws(
      () => parseStoreUrl(url),
      (error) => error instanceof TypeError && !error.message.includes('geheim'),
      url,
    );
  }
});
