// Notices when the data directory is removed or replaced under a running
// service. Files that are open would go on working and be gone at the end, so
// such a service must not go on as if nothing had happened.

import { statSync } from 'node:fs';
import { stat } from 'node:fs/promises';

const LOOK_EVERY_MS = 500;

export interface DirectoryWatch {
  /** Settles when the directory is no longer the one it was; never when it stays. */
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
        // Only its absence: any other failure is none of the directory's.
        (error: NodeJS.ErrnoException) => {
          if (error.code === 'ENOENT') resolve();
        },
      );
    }, LOOK_EVERY_MS);
    timer.unref();
  });
  return { lost, close: () => clearInterval(timer) };
}
