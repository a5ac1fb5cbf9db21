// The common steps of export and import: opens the source or target from flags, transfers one
// region or all, and closes it.

import { type Options, parseOptions } from '../parse-options.ts';
import { refuseUsage } from '../print-errors.ts';
import type { OptionNames } from '../read-arguments.ts';
import { runTask } from '../run-task.ts';
import { EXIT, type Terminal } from '../terminal.ts';
import type { CalledCommand, Opened } from './grid-access.ts';

/** The source or target of data. */
interface DataAccess {
  close(end: 'done' | 'failed'): Promise<void>;
}

export interface Transfer<Opens extends DataAccess> {
  readonly command: 'export' | 'import';
  /** Its own flags, besides those for the target and the regions. */
  readonly flags: OptionNames;
  /** A conflict between flags, as a sentence. */
  findMisuse(options: Options): string | undefined;
  open(call: CalledCommand): Promise<Opened<Opens>>;
  /** Both return the exit code. */
  moveRegion(access: Opens, region: string, call: CalledCommand): Promise<number>;
  moveAll(access: Opens, call: CalledCommand): Promise<number>;
}

const SHARED_FLAGS = {
  data: 'value',
  store: 'value',
  config: 'value',
  url: 'value',
  region: 'value',
  all: 'switch',
} as const;

export async function runTransfer<Opens extends DataAccess>(
  transfer: Transfer<Opens>,
  args: readonly string[],
  terminal: Terminal,
): Promise<number> {
  const options = parseOptions(args, { ...SHARED_FLAGS, ...transfer.flags }, terminal);
  if (options === undefined) return EXIT.usage;
  const misuse =
    options.has('region') === options.has('all')
      ? `${transfer.command} needs either --region NAME or --all`
      : transfer.findMisuse(options);
  if (misuse !== undefined) return refuseUsage(terminal, [misuse]);
  const call = { options, terminal };
  return runTask(terminal, async () => {
    const access = await transfer.open(call);
    if (access === 'misused') return EXIT.usage;
    let code: number = EXIT.failed;
    try {
      const region = options.value('region');
      code =
        region === undefined
          ? await transfer.moveAll(access, call)
          : await transfer.moveRegion(access, region, call);
      return code;
    } finally {
      await access.close(code === EXIT.ok ? 'done' : 'failed');
    }
  });
}
