// Ends with 0 when the service in this container is ready, with 1 otherwise: asks
// /readyz where the service listens, by the flags, the environment and the config
// file that it was started with. The certificate is not looked at; it names the
// outside, not this machine.

import { readFileSync } from 'node:fs';
import { get as getPlain } from 'node:http';
import { get as getSecure } from 'node:https';
import { loadSettings } from './dist/cli/load-settings.js';

const TIMEOUT_MS = 2000;
/** Listening there means every address, this machine's among them. */
const EVERY_ADDRESS = new Map([
  ['0.0.0.0', '127.0.0.1'],
  ['::', '::1'],
]);

/** The flags of `gridkeep start`, which is the first process of its container; or those given here. */
function readFlags() {
  const words = readFileSync('/proc/1/cmdline', 'utf8').split('\0').slice(0, -1);
  const start = words.findIndex((word, i) => word === 'start' && words[i - 1]?.endsWith('main.js'));
  return start < 0 ? process.argv.slice(2) : words.slice(start + 1);
}

function ask({ host, port }, get) {
  return new Promise((resolve) => {
    const options = {
      host: EVERY_ADDRESS.get(host) ?? host,
      port,
      path: '/readyz',
      headers: { host: `localhost:${port}` },
      timeout: TIMEOUT_MS,
      rejectUnauthorized: false,
    };
    const request = get(options, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(false));
  });
}

const settings = await loadSettings(readFlags(), {
  workingDirectory: process.cwd(),
  complain: (line) => process.stderr.write(`${line}\n`),
});
if (settings === undefined) process.exit(1);
const { http, tls } = settings.loaded.config;
process.exit((await ask(http, tls.certificateFile === '' ? getPlain : getSecure)) ? 0 : 1);
