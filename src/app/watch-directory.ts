// Detects that the data directory was removed or replaced under a running service. Open files would
// still work, but their data would be lost at the end, so the service must stop.

import { statSync } from 'node:fs';
import { stat } from 'node:fs/promises';

const LOOK_EVERY_MS = 500;

export interface DirectoryWatch {
  /** Settles when the directory was removed or replaced. */
  readonly lost: Promise<void>;
  close(): void;
}

export function watchDirectory(directory: string): DirectoryWatch {
  const { dev, ino } = statSync(directory);
  let timer: NodeJS.Timeout | undefined;
  const lost = new Promise<void>((resolve) => {
    timer = setInterval(() => {
      stat(directory).then(
        (now) => {
          if (now.dev !== dev || now.ino !== ino) resolve();
        },
        // Only absence counts; other failures are ignored.
        (error: NodeJS.ErrnoException) => {
          if (error.code === 'ENOENT') resolve();
        },
      );
    }, LOOK_EVERY_MS);
    timer.unref();
  });
  return { lost, close: () => clearInterval(timer) };
}
