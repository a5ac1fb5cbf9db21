// `gridkeep import --from-geode URL`: regions and named queries of a running Geode.

import type { RegionShape } from '../../client/index.ts';
import { printAmount } from '../../value/print-amount.ts';
import { drawSteps } from '../draw-steps.ts';
import { failWith } from '../print-errors.ts';
import { resolvePath } from '../resolve-path.ts';
import { explainFailure } from '../run-task.ts';
import { EXIT } from '../terminal.ts';
import { GeodeError, type GeodeKey, GeodeSource } from './geode-source.ts';
import type { CalledCommand, ImportTarget } from './grid-access.ts';
import { importEntries, printWrittenBefore } from './import-entries.ts';
import { ImportState } from './import-state.ts';
import type { InputEntry } from './read-entries.ts';

/** `user:password`; not a flag, because flags are visible in process lists. */
const LOGIN_VARIABLE = 'GRIDKEEP_SECRET_GEODE_LOGIN';

export async function importRegionFromGeode(
  target: ImportTarget,
  name: string,
  call: CalledCommand,
): Promise<number> {
  const work = await openGeodeImport(target, call);
  const region = work.regions.find((each) => each.name === name);
  if (region === undefined) {
    return failWith(call.terminal, `${work.source.base} has no region ${name}`);
  }
  return importRegion(region, work);
}

export async function importAllFromGeode(
  target: ImportTarget,
  call: CalledCommand,
): Promise<number> {
  const work = await openGeodeImport(target, call);
  for (const region of work.regions) {
    const code = await importRegion(region, work);
    if (code !== EXIT.ok) return code;
  }
  return call.options.has('create') ? createQueries(work) : EXIT.ok;
}

interface GeodeImport {
  readonly source: GeodeSource;
  /** The regions of the source. */
  readonly regions: readonly RegionShape[];
  readonly state: ImportState;
  readonly target: ImportTarget;
  readonly call: CalledCommand;
}

async function openGeodeImport(target: ImportTarget, call: CalledCommand): Promise<GeodeImport> {
  const { options, terminal } = call;
  const environment = terminal.environment ?? process.env;
  const url = options.value('from-geode') ?? '';
  const source = new GeodeSource(url, readLogin(environment[LOGIN_VARIABLE]));
  const file = options.value('state');
  const path = file === undefined ? undefined : resolvePath(file, terminal);
  const to = nameTarget(call);
  const state = await ImportState.open(path, { from: source.base, to });
  const regions = await source.listRegions();
  // A file that cannot be written is found before anything is imported.
  await state.save();
  return { source, regions, state, target, call };
}

function readLogin(login: string | undefined): string | undefined {
  if (login === undefined || login.includes(':')) return login;
  throw new GeodeError(`${LOGIN_VARIABLE} must be user:password`);
}

/** The target as the user named it: one of these flags is given. */
function nameTarget({ options, terminal }: CalledCommand): string {
  const directory = options.value('data');
  if (directory !== undefined) return resolvePath(directory, terminal);
  return options.value('url') ?? options.value('store') ?? '';
}

async function importRegion(region: RegionShape, work: GeodeImport): Promise<number> {
  const { call, source, state, target } = work;
  const { name } = region;
  const { options, terminal } = call;
  if ((await target.count(name)) === undefined) {
    if (!options.has('create')) {
      return failWith(terminal, `there is no region ${name}; --create makes it`);
    }
    await target.createRegion(region);
    state.startOver(name);
  }
  if (state.isDone(name)) {
    terminal.print(`${name}: done before`);
    return EXIT.ok;
  }
  const keys = await source.listKeys(name);
  const remaining = state.remaining(name, keys);
  const recordingTarget = {
    put: async (into: string, entries: Parameters<ImportTarget['put']>[1]): Promise<void> => {
      await target.put(into, entries);
      await state.advance(into, entries.at(-1)?.key ?? '');
    },
  };
  const outcome = await importEntries(readDrawn(name, remaining, work), name, recordingTarget);
  if (outcome.kind === 'failed') {
    const hint = options.has('state') ? '; run the command again to continue after them' : '';
    return failWith(
      terminal,
      `${name}, ${outcome.reason}; ${printWrittenBefore(outcome.entries)}${hint}`,
    );
  }
  await state.finish(name);
  const skipped = keys.length - remaining.length;
  const resumed = skipped === 0 ? '' : `, and ${skipped} before`;
  terminal.print(
    `${name}: ${printAmount(outcome.entries, 'entry', 'entries')} from ${source.base}${resumed}`,
  );
  return EXIT.ok;
}

async function* readDrawn(
  region: string,
  keys: readonly GeodeKey[],
  { call: { terminal }, source }: GeodeImport,
): AsyncGenerator<InputEntry> {
  const draw = drawSteps(terminal, { importing: `importing ${region}` });
  let done = 0;
  for await (const entry of source.readEntries(region, keys)) {
    done += 1;
    draw({ step: 'importing', done, total: keys.length });
    yield { entry, position: { unit: 'entry', number: done } };
  }
  if (keys.length > 0) draw({ step: 'importing', done: keys.length, total: keys.length });
}

/** A query that cannot be stored, such as one without an id, does not stop the others. */
async function createQueries({ call: { terminal }, source, target }: GeodeImport): Promise<number> {
  const queries = await source.listQueries();
  const existing: string[] = [];
  const refused: string[] = [];
  for (const query of queries) {
    try {
      if ((await target.createQuery(query)) === 'exists') existing.push(`query ${query.id}`);
    } catch (error) {
      const reason = explainFailure(error);
      if (reason === undefined) throw error;
      refused.push(`query (${query.id}): ${reason}`);
    }
  }
  const created = queries.length - existing.length - refused.length;
  terminal.print(`${printAmount(created, 'named query', 'named queries')} from ${source.base}`);
  if (existing.length > 0) terminal.print(`left as they were: ${existing.join(', ')}`);
  return refused.length === 0 ? EXIT.ok : failWith(terminal, refused.join('; '));
}
