// A file system in a file, which can be filled, or shut down like by a power cut, after which unsynced
// data is lost. Needs root and loop devices.

import { spawnSync } from 'node:child_process';
import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** EXT4_IOC_SHUTDOWN with "no log flush": the journal in memory is dropped too. */
const CUT_OFF =
  'open(my $d, "<", $ARGV[0]) or die; my $how = pack("I", 2); ioctl($d, 0x8004587D, $how) or die';

export class LoopDisk implements AsyncDisposable {
  readonly path: string;
  readonly #image: string;
  #isMounted = false;

  private constructor(directory: string) {
    this.path = join(directory, 'disk');
    this.#image = join(directory, 'disk.img');
  }

  /** Returns the reason if it is not available. */
  static async create(directory: string, mebibytes: number): Promise<LoopDisk | string> {
    if (process.getuid?.() !== 0) return 'loop devices need root';
    const disk = new LoopDisk(directory);
    mkdirSync(disk.path);
    writeFileSync(disk.#image, '');
    truncateSync(disk.#image, mebibytes * 1024 * 1024);
    const made = spawnSync('mkfs.ext4', ['-q', '-F', '-m', '0', disk.#image]);
    if (made.status !== 0) return 'mkfs.ext4 is not here';
    return disk.mount() ? disk : 'loop devices cannot be mounted here';
  }

  mount(): boolean {
    this.#isMounted = spawnSync('mount', ['-o', 'loop', this.#image, this.path]).status === 0;
    return this.#isMounted;
  }

  /** False if the file system cannot be shut down. */
  cutPower(): boolean {
    return spawnSync('perl', ['-e', CUT_OFF, this.path]).status === 0;
  }

  async unmount(): Promise<void> {
    // Files of a process that just ended may still be open for a moment.
    for (let tries = 0; this.#isMounted && tries < 100; tries += 1) {
      this.#isMounted = spawnSync('umount', [this.path]).status !== 0;
      if (this.#isMounted) await delay(20);
    }
    if (this.#isMounted) throw new Error(`${this.path} cannot be unmounted`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.unmount();
  }
}
