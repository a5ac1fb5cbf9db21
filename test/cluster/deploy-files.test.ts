// The files in deploy/cluster use only flags and settings that exist.

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { parse, parseAllDocuments } from 'yaml';
import { parseFlags } from '../../src/cli/parse-flags.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { parseStoreUrl } from '../../src/engine/postgres/connection-url.ts';

const FOLDER = new URL('../../deploy/cluster/', import.meta.url);
const read = (name: string): string => readFileSync(new URL(name, FOLDER), 'utf8');

it('compose.yaml starts three servers, known to the proxy, with flags that exist', async () => {
  const { services } = parse(read('compose.yaml'), { merge: true });
  const names = Object.keys(services).filter((name) => name.startsWith('gridkeep'));
  assert.equal(names.length, 3);
  for (const name of names) {
    assert.match(read('nginx.conf'), new RegExp(`server ${name}:7070`));
    const [command, ...args] = services[name].command;
    assert.equal(command, 'start');
    const { problems, settings } = parseFlags(args);
    assert.deepEqual(problems, []);
    const outcome = await loadConfig({
      flags: settings,
      workingDirectory: tmpdir(),
      environment: {},
    });
    assert.equal(outcome.kind, 'loaded', JSON.stringify(outcome));
    if (outcome.kind !== 'loaded') return;
    assert.equal(outcome.config.store.engine, 'postgres');
    const hosts = parseStoreUrl(outcome.config.store.url).hosts.map(({ host }) => host);
    assert.deepEqual(hosts, ['primary', 'standby']);
    for (const host of hosts) assert.ok(host in services);
  }
});

it('compose.yaml creates the database before a standby confirms commits, and servers wait for both', () => {
  const { services } = parse(read('compose.yaml'), { merge: true });
  const { primary, gridkeep1 } = services;
  assert.ok(primary.command.includes('-csynchronous_standby_names=*'));
  assert.equal(primary.environment.PGOPTIONS, '-csynchronous_commit=local');
  // The image listens only on a Unix socket until the database is created.
  assert.ok(primary.healthcheck.test.includes('127.0.0.1'));
  assert.deepEqual(gridkeep1.depends_on, {
    primary: { condition: 'service_healthy' },
    standby: { condition: 'service_healthy' },
  });
});

it('kubernetes.yaml contains a valid config file, and verifies the database certificate', async (t) => {
  const documents = parseAllDocuments(read('kubernetes.yaml')).map((each) => each.toJS());
  const kinds = documents.map(({ kind }) => kind);
  assert.deepEqual(kinds, ['ConfigMap', 'Deployment', 'Service', 'PodDisruptionBudget']);
  const directory = mkdtempSync(join(tmpdir(), 'gridkeep-deploy-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const configFile = join(directory, 'gridkeep.yaml');
  writeFileSync(configFile, documents[0].data['gridkeep.yaml']);
  const outcome = await loadConfig({ configFile, workingDirectory: directory, environment: {} });
  assert.equal(outcome.kind, 'loaded', JSON.stringify(outcome));
  if (outcome.kind !== 'loaded') return;
  assert.equal(parseStoreUrl(outcome.config.store.url).sslMode, 'verify-full');
  const [container] = documents[1].spec.template.spec.containers;
  assert.deepEqual(parseFlags(container.args.slice(1)).problems, []);
});
