// deploy/: systemd accepts the unit, and the Dockerfile meets the rules for such files; `image.long.ts`
// runs its steps.

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { ROOT } from '../program.ts';
import { CommandSandbox } from './command.ts';
import { copiesOf, isSent, parseDockerfile, type Stage, textsOf } from './dockerfile.ts';
import { lintDockerfile } from './lint-dockerfile.ts';

const sandbox = CommandSandbox.open();
const unit = readText('deploy/gridkeep.service');
const ignoreFile = readText('.dockerignore');
const stages = parseDockerfile(readText('deploy/Dockerfile'));
const [, image] = stages as [Stage, Stage]; // the first test checks their number
// A client without a daemon builds nothing.
const hasDocker = spawnSync('docker', ['info'], { timeout: 10_000 }).status === 0;
const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;

function readText(name: string): string {
  return readFileSync(join(ROOT, name), 'utf8');
}

describe('gridkeep.service', () => {
  test('starts the command with valid flags', async () => {
    const args = /^ExecStart=\S+\/gridkeep (start .*)$/m.exec(unit)?.[1]?.split(' ') ?? [];
    assert.equal(args[0], 'start');
    writeFileSync(sandbox.path('unit.yaml'), 'http: { port: 7070 }\n');
    const flags = args.slice(1).map((word) => word.replace(/^\/etc\/.*\.yaml$/, 'unit.yaml'));
    const { code, err, out } = await sandbox.run(['config', ...flags]);
    assert.deepEqual({ code, err }, { code: 0, err: '' });
    assert.match(out, /store\.directory +%S\/gridkeep +--data/);
  });

  test('gives the service more time to stop than draining takes', async () => {
    const { out } = await sandbox.run(['config']);
    const drainMs = Number(/http\.drain-timeout-ms +(\d+)/.exec(out)?.[1]);
    const stopSeconds = Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1]);
    assert.ok(drainMs > 0 && stopSeconds * 1000 >= 2 * drainMs);
  });

  test('is accepted by systemd, and restricts the service', {
    skip: hasSystemd ? false : 'there is no systemd-analyze here',
  }, () => {
    const file = sandbox.path('gridkeep.service');
    writeFileSync(file, unit.replace('/usr/local/bin/gridkeep', process.execPath));
    const verified = spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8' });
    const about = verified.stderr.split('\n').filter((line) => line.includes('gridkeep'));
    assert.deepEqual(about, []);
    const rated = execFileSync('systemd-analyze', ['security', '--offline=true', file], {
      encoding: 'utf8',
      env: { ...process.env, SYSTEMD_COLORS: '0' },
    });
    const exposure = Number(/exposure level for .*: ([\d.]+)/.exec(rated)?.[1]);
    assert.ok(exposure <= 2, `the exposure is ${exposure} of 10`);
  });
});

describe('Dockerfile', () => {
  test('has a stage that builds and one that runs, on one base of a fixed major version', () => {
    assert.deepEqual(
      stages.map(({ base, name }) => [name, base]),
      [
        ['build', 'node:26-slim'],
        [undefined, 'node:26-slim'],
      ],
    );
  });

  test('meets the rules for Dockerfiles, each of which detects a violation', () => {
    assert.deepEqual(lintDockerfile(readText('deploy/Dockerfile')), []);
    const broken = [
      'FROM node AS build',
      'ADD . /build',
      'ARG NPM_TOKEN',
      'FROM node:latest',
      'WORKDIR opt',
      'COPY . /opt/',
      'COPY --from=nowhere a b /opt',
      'RUN sudo apt-get install curl && cd /opt && curl http://x/ | sh',
      'ENV DB_PASSWORD=x',
      'USER 0',
      'RUN true',
      'COPY a b',
      'CMD node a',
      'CMD node b',
      'ENTRYPOINT sh',
    ];
    assert.deepEqual(lintDockerfile(broken.join('\n')), [
      'FROM node: no fixed version',
      'ADD: an instruction that ours do not use',
      'ARG: a secret',
      'FROM node:latest: no fixed version',
      'CMD: twice',
      'WORKDIR opt: not absolute',
      'COPY: the whole context',
      'COPY: there is no stage nowhere',
      'COPY: /opt is not a folder',
      'RUN: sudo',
      'RUN: a script that nobody has read',
      'RUN: more packages than named',
      'RUN: cd instead of WORKDIR',
      'ENV: a secret',
      'USER: not a number other than 0',
      'CMD: not in exec form',
      'ENTRYPOINT: not in exec form',
      'HEALTHCHECK: missing',
      'RUN: after USER',
      'COPY: after USER',
    ]);
  });

  test('passes the checks of Docker itself', {
    skip: hasDocker ? false : 'no Docker engine answers here',
  }, () => {
    const args = ['build', '--check', '-f', 'deploy/Dockerfile', '.'];
    const { status, stderr } = spawnSync('docker', args, { cwd: ROOT, encoding: 'utf8' });
    assert.equal(status, 0, stderr);
  });

  test('copies only existing files, and sends no tests, data or secrets', () => {
    const sources = stages
      .flatMap(copiesOf)
      .filter(({ stage }) => stage === undefined)
      .flatMap((copy) => copy.sources);
    assert.ok(sources.length > 5);
    for (const source of sources) {
      assert.ok(existsSync(join(ROOT, source)), `${source} does not exist`);
      assert.ok(isSent(ignoreFile, source), `${source} is ignored`);
    }
    for (const path of [
      'data/gridkeep.db',
      '.git/config',
      'node_modules/x/index.js',
      'dist/main.js',
      '.env',
      'test/service.ts',
      'src/cli/cli.test.ts',
      'src/engine/testing/engine-contract.ts',
    ]) {
      assert.ok(!isSent(ignoreFile, path), `${path} is sent`);
    }
    assert.ok(isSent(ignoreFile, 'src/engine/sqlite/writer.ts'));
  });

  test('runs as a user other than root, in exec form, with a health check', () => {
    assert.deepEqual(textsOf(image, 'USER'), ['1000:1000']);
    const words = image.instructions.map(({ word }) => word);
    assert.ok(words.lastIndexOf('RUN') < words.indexOf('USER'));
    assert.ok(words.lastIndexOf('COPY') < words.indexOf('USER'));
    for (const word of ['ENTRYPOINT', 'CMD']) {
      assert.ok(Array.isArray(JSON.parse(textsOf(image, word)[0] ?? '')), word);
    }
    assert.match(textsOf(image, 'HEALTHCHECK')[0] ?? '', /CMD \["node", ".*\/healthcheck\.mjs"\]$/);
    assert.deepEqual(textsOf(image, 'STOPSIGNAL'), ['SIGTERM']);
    assert.ok(!textsOf(image, 'ENV').some((text) => /PASSWORD|KEY|SECRET|TOKEN/.test(text)));
  });
});
