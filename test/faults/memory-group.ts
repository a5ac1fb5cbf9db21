// A control group with a memory limit for one process. Needs root.

import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Root and files of both versions of control groups. */
const KINDS = [
  { root: '/sys/fs/cgroup/memory', limit: 'memory.limit_in_bytes', events: 'memory.oom_control' },
  { root: '/sys/fs/cgroup', limit: 'memory.max', events: 'memory.events' },
] as const;

export class MemoryGroup implements Disposable {
  readonly #folder: string;
  readonly #events: string;

  private constructor(folder: string, events: string) {
    this.#folder = folder;
    this.#events = join(folder, events);
  }

  /** Returns the reason if it is not available. */
  static create(limitBytes: number): MemoryGroup | string {
    if (process.getuid?.() !== 0) return 'control groups need root';
    for (const { events, limit, root } of KINDS) {
      const folder = join(root, `gridkeep-test-${process.pid}`);
      try {
        mkdirSync(folder);
      } catch {
        continue;
      }
      if (existsSync(join(folder, limit))) {
        writeFileSync(join(folder, limit), String(limitBytes));
        return new MemoryGroup(folder, events);
      }
      rmdirSync(folder);
    }
    return 'there are no control groups for memory here';
  }

  /** A command prefix that joins the group and executes the rest. */
  get under(): readonly string[] {
    return ['sh', '-c', `echo $$ > ${join(this.#folder, 'cgroup.procs')}; exec "$@"`, 'sh'];
  }

  /** How many processes the system killed for lack of memory. */
  get killed(): number {
    return Number(/^oom_kill (\d+)$/m.exec(readFileSync(this.#events, 'utf8'))?.[1]);
  }

  [Symbol.dispose](): void {
    rmdirSync(this.#folder);
  }
}
