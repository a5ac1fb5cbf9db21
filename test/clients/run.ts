// Clients that other generators make from our OpenAPI document read, write, query and receive errors.
// The generators come from their registries, so this is not part of `npm test`:
// `npm run test:clients`.

import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const GENERATOR = 'org.openapitools:openapi-generator-cli:7.14.0';
const OAPI_CODEGEN = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2';
const EXPECTED = 'read, wrote, queried, saw errors';

interface Place {
  readonly directory: string;
  readonly url: string;
}

type Attempt = (place: Place) => string;

/** Runs a command in the directory of the attempt; returns its output. */
function run(place: Place, command: string, ...args: readonly string[]): string {
  return execFileSync(command, args, {
    cwd: place.directory,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, PYTHONPATH: place.directory },
  });
}

function generate(place: Place, language: string, ...options: readonly string[]): void {
  run(place, 'mvn', '-q', 'dependency:copy', `-Dartifact=${GENERATOR}`, '-DoutputDirectory=.');
  const jar = `${GENERATOR.split(':').slice(1).join('-')}.jar`;
  const input = ['-i', 'openapi.json', '-g', language, '-o', '.'];
  run(place, 'java', '-jar', jar, 'generate', ...input, ...options);
}

function makePython(place: Place, ...packages: readonly string[]): string {
  run(place, 'python3', '-m', 'venv', 'venv');
  run(place, 'venv/bin/pip', '-q', 'install', ...packages);
  return 'venv/bin/python';
}

const ATTEMPTS: Readonly<Record<string, Attempt>> = {
  'Python, openapi-generator': (place) => {
    generate(place, 'python', '--additional-properties=packageName=gk');
    const python = makePython(place, '-r', 'requirements.txt');
    return run(place, python, join(HERE, 'openapi_generator.py'), place.url);
  },
  'Python, openapi-python-client': (place) => {
    const python = makePython(place, 'openapi-python-client');
    const output = ['--output-path', 'gridkeep_client', '--meta', 'none'];
    const input = ['generate', '--path', 'openapi.json'];
    run(place, 'venv/bin/openapi-python-client', ...input, ...output);
    return run(place, python, join(HERE, 'openapi_python_client.py'), place.url);
  },
  'Java, openapi-generator': (place) => {
    const names = 'apiPackage=gk.api,modelPackage=gk.model,invokerPackage=gk';
    // Parameters have names then; else every new one would change the calls.
    const options = `--additional-properties=${names},useSingleRequestParameter=true`;
    // `wait()` is a method of every object.
    const renamed = ['--parameter-name-mappings', 'wait=waitSeconds'];
    generate(place, 'java', '--library', 'native', options, ...renamed);
    cpSync(join(HERE, 'java'), join(place.directory, 'src/main/java'), { recursive: true });
    const main = ['-Dexec.mainClass=TryClient', `-Dexec.args=${place.url}`];
    return run(place, 'mvn', '-q', '-DskipTests', 'compile', 'exec:java', ...main);
  },
  'Go, oapi-codegen': (place) => {
    writeFileSync(join(place.directory, 'go.mod'), 'module try\n\ngo 1.24\n');
    mkdirSync(join(place.directory, 'gk'));
    const output = ['-generate', 'types,client', '-package', 'gk', '-o', 'gk/gk.go'];
    run(place, 'go', 'run', OAPI_CODEGEN, ...output, 'openapi.json');
    // Not named .go here, because its imports exist only in the directory of the attempt.
    cpSync(join(HERE, 'main.go.txt'), join(place.directory, 'main.go'));
    run(place, 'go', 'mod', 'tidy');
    return run(place, 'go', 'run', '.', place.url);
  },
  'TypeScript, openapi-typescript and openapi-fetch': (place) => {
    writeFileSync(join(place.directory, 'package.json'), '{"type":"module"}');
    // The compiler of the project has no API that the generator could use.
    const packages = ['openapi-typescript', 'openapi-fetch', 'typescript@5', '@types/node'];
    run(place, 'npm', 'install', '--no-audit', '--no-fund', '--silent', ...packages);
    run(place, 'npx', 'openapi-typescript', 'openapi.json', '-o', 'schema.ts');
    // Not named .ts here, because its imports exist only in the directory of the attempt.
    cpSync(join(HERE, 'typescript.ts.txt'), join(place.directory, 'typescript.ts'));
    const options = ['--noEmit', '--strict', '--module', 'nodenext', '--skipLibCheck'];
    run(place, 'npx', 'tsc', ...options, '--allowImportingTsExtensions', 'typescript.ts');
    return run(place, process.execPath, 'typescript.ts', place.url);
  },
};

async function startService(): Promise<{ readonly url: string; readonly child: ChildProcess }> {
  const args = ['src/main.ts', 'start', '--port', '0', '--memory', '--sample'];
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'ignore'] });
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  const url = /http:\S+/.exec(String(line))?.[0];
  assert.ok(url !== undefined, String(line));
  return { url, child };
}

const only = process.argv[2] ?? '';
const { child, url } = await startService();
const work = mkdtempSync(join(tmpdir(), 'gridkeep-clients-'));
let tried = 0;
try {
  const document = await (await fetch(`${url}/grid-api/v1/openapi.json`)).text();
  for (const [name, attempt] of Object.entries(ATTEMPTS)) {
    if (!name.includes(only)) continue;
    const directory = join(work, String(tried));
    mkdirSync(directory);
    writeFileSync(join(directory, 'openapi.json'), document);
    assert.match(attempt({ directory, url }), new RegExp(EXPECTED));
    process.stdout.write(`${name}: ${EXPECTED}\n`);
    tried += 1;
  }
  assert.ok(tried > 0, `no client is called ${only}`);
} finally {
  child.kill();
  rmSync(work, { recursive: true });
}
