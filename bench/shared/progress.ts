// Progress of a long run: updated in place on a terminal, and an occasional line in a log.

const SHOW_EVERY_MS = 30_000;
let shownAt = performance.now();

export function progress(what: string, done: number, total: number): void {
  const text = `${what}: ${done} of ${total} (${Math.floor((done / total) * 100)} %)`;
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`);
  else if (performance.now() - shownAt >= SHOW_EVERY_MS) {
    shownAt = performance.now();
    process.stderr.write(`${text}\n`);
  }
}

let lastStep = '';

/** A step of unknown length. In a log only a new kind of step gets a line. */
export function showStep(text: string): void {
  const step = text.replace(/[:,] \d.*$/, '');
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`);
  else if (step !== lastStep) process.stderr.write(`${step} …\n`);
  lastStep = step;
}

export function endProgress(): void {
  if (process.stderr.isTTY) process.stderr.write('\r\u001b[K');
}
