// `npm start`: installs and builds what is not up to date, then serves the
// sample grid. Arguments are passed on: `npm start -- --port 0`.

import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { join } from 'node:path';
import { build, environment, install, node, root } from './prepare.mjs';

install();
build();

const args = [join(root, 'dist', 'main.js'), 'start', '--sample', ...process.argv.slice(2)];
const service = spawn(node, args, { env: environment(), stdio: 'inherit' });

// A terminal sends Ctrl-C to the service as well, so only other signals are forwarded. Otherwise the
// service would receive a second signal and end at once.
for (const signal of ['SIGTERM', 'SIGHUP']) {
  process.on(signal, () => service.kill(signal));
}
process.on('SIGINT', () => {
  if (!process.stdin.isTTY) service.kill('SIGINT');
});

service.on('error', (error) => {
  console.error(`gridkeep: the service could not be started: ${error.message}`);
  process.exit(1);
});
service.on('exit', (code, signal) => {
  process.exit(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
});
