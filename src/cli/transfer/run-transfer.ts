// The frame that export and import share: flags become a place where the data
// is, one region or all of them are moved, and the place is closed again.

import { refuseUsage } from '../complain.ts';
import { type Options, parseOptions } from '../parse-options.ts';
import type { OptionNames } from '../read-arguments.ts';
import { runTask } from '../run-task.ts';
import { EXIT, type Terminal } from '../terminal.ts';
import type { Call, Opened } from './grid-access.ts';

/** Where data comes from or goes to. */
interface Place {
  close(): Promise<void>;
}

export interface Transfer<Opens extends Place> {
  readonly command: 'export' | 'import';
  /** Its own flags, besides those for the target and the regions. */
  readonly flags: OptionNames;
  /** A conflict between flags, as a sentence. */
  findMisuse(options: Options): string | undefined;
  open(call: Call): Promise<Opened<Opens>>;
  /** Each gives the exit code. */
  moveRegion(place: Opens, region: string, call: Call): Promise<number>;
  moveAll(place: Opens, call: Call): Promise<number>;
}

const SHARED_FLAGS = {
  data: 'value',
  store: 'value',
  config: 'value',
  url: 'value',
  region: 'value',
  all: 'switch',
} as const;

export async function runTransfer<Opens extends Place>(
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
    const place = await transfer.open(call);
    if (place === 'misused') return EXIT.usage;
    try {
      const region = options.value('region');
      return region === undefined
        ? await transfer.moveAll(place, call)
        : await transfer.moveRegion(place, region, call);
    } finally {
      await place.close();
    }
  });
}
