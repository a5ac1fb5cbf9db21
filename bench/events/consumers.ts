// Consumers of a change feed in a separate process. It counts events, and measures the time from the
// write, which is part of the value, to the arrival.
//
//   node consumers.ts PORT COUNT        → a line `ready`, then a JSON line for each line received

import { connect } from 'node:net';
import { createInterface } from 'node:readline';

const [port = '', count = ''] = process.argv.slice(2);
const WRITTEN_AT = /"at":([\d.]+)/g;

let events = 0;
let delays: number[] = [];

function open(): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), '127.0.0.1');
    socket.on('error', reject);
    socket.once('data', () => resolve());
    socket.setEncoding('latin1');
    socket.on('data', (text: string) => {
      const now = performance.timeOrigin + performance.now();
      for (const [, at] of text.matchAll(WRITTEN_AT)) {
        events += 1;
        // A sample is enough for a percentile.
        if (events % 7 === 0) delays.push(now - Number(at));
      }
    });
    socket.write(
      'GET /grid-api/v1/bench/_changes HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n\r\n',
    );
  });
}

for (let i = 0; i < Number(count); i++) await open();
console.log('ready');
createInterface({ input: process.stdin }).on('line', () => {
  const sorted = delays.sort((a, b) => a - b);
  const p99 = sorted[Math.floor(sorted.length * 0.99)] ?? 0;
  console.log(JSON.stringify({ events, p99 }));
  events = 0;
  delays = [];
});
