// A directory for one test, removed afterwards.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export class TemporaryDirectory implements Disposable {
  readonly path: string = mkdtempSync(join(tmpdir(), 'gridkeep-faults-'));

  join(...parts: readonly string[]): string {
    return join(this.path, ...parts);
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}
