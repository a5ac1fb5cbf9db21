// Sends one request after another on one connection.

import { Agent, request } from 'node:http';

const AGENT = new Agent({ keepAlive: true, maxSockets: 1 });

/** Settles with any answer. */
export function send(
  port: number,
  method: string,
  path: string,
  body: string,
  type = 'application/json',
): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = {
      'Content-Type': type,
      'Content-Length': Buffer.byteLength(body),
    };
    const sent = request({ host: '127.0.0.1', port, method, path, headers, agent: AGENT });
    sent.on('error', reject);
    sent.on('response', (answer) => {
      answer.resume();
      answer.on('end', () => resolve());
    });
    sent.end(body);
  });
}
