// Checks the configuration as `start` does before it opens its store.

import { findPath } from '../config/config-locations.ts';
import type { LoadedConfig } from '../config/load-config.ts';
import { MemoryEngine } from '../engine/memory/memory-engine.ts';
import { declareGrid } from './declare-grid.ts';
import { StartError } from './errors.ts';
import { checkStoreUrl } from './open-engine.ts';
import { openSafeguards } from './open-safeguards.ts';
import { openUnservedGrid } from './open-unserved-grid.ts';
import { parseTestingFault } from './testing-fault.ts';

/** Every problem as a sentence, with the line of the config file if there is one. */
export async function checkStart(loaded: LoadedConfig): Promise<readonly string[]> {
  const { config, declarations } = loaded;
  const problems: StartError[] = [];
  const collect = (error: unknown): void => {
    if (!(error instanceof StartError)) throw error;
    problems.push(error);
  };
  await openSafeguards(config, declarations.auth).catch(collect);
  await checkStoreUrl(config).catch(collect);
  try {
    parseTestingFault(config.testing.fault);
  } catch (error) {
    collect(error);
  }
  await declareInMemory(loaded, collect);
  return problems.map((error) => explainStartError(error, loaded));
}

/** The message, prefixed with the location of the mistake. */
export function explainStartError(
  error: StartError,
  { findLocation }: Pick<LoadedConfig, 'findLocation'>,
): string {
  const path =
    error.path ?? (error.code === 'start/auth-refused' ? findPath(error.message) : undefined);
  const location = path === undefined ? undefined : findLocation(path);
  return location === undefined ? error.message : `${location}: ${error.message}`;
}

/** The validity of a declaration does not depend on the stored data. */
async function declareInMemory(
  { config, declarations }: LoadedConfig,
  onRefused: (error: StartError) => void,
): Promise<void> {
  const engine = new MemoryEngine();
  const grid = await openUnservedGrid(engine, config);
  try {
    await declareGrid(grid, declarations, onRefused);
  } finally {
    grid.close();
    await engine.close();
  }
}
