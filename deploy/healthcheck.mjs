// Ends with 0 when the service in this container is ready, with 1 otherwise:
// asks /readyz over loopback, in HTTP or HTTPS, whichever it speaks. The
// certificate is not looked at; it names the outside, not 127.0.0.1.

import { get as getPlain } from 'node:http';
import { get as getSecure } from 'node:https';

const TIMEOUT_MS = 2000;
const port = Number(process.env.GRIDKEEP_HTTP_PORT ?? 7070);

function ask(get) {
  return new Promise((resolve) => {
    const options = {
      host: '127.0.0.1',
      port,
      path: '/readyz',
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

process.exit((await ask(getPlain)) || (await ask(getSecure)) ? 0 : 1);
