// Gives the engine contract engines to test.

import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Engine, Region, RegionDefinition } from '../../engine.ts';

export interface EngineHarness {
  /** A new, empty engine; its resources are released when the test ends. */
  open(context: TestContext, options?: HarnessOptions): Promise<Engine>;
  /** Opens the store of a closed engine again; absent for an engine that is not durable. */
  reopen?(closed: Engine): Promise<Engine>;
  /** Opens another server of the store; absent where a store has only one server. */
  openAnother?(context: TestContext, engine: Engine): Promise<Engine>;
  /** Largest number of open snapshots, if it is limited. */
  readonly maxSnapshots?: number;
}

export interface HarnessOptions {
  /** Least number of recorded changes to keep; an engine may trim in larger steps. */
  readonly maxChanges?: number;
}

export async function openOrders(
  context: TestContext,
  harness: EngineHarness,
  options: HarnessOptions = {},
): Promise<{ engine: Engine; region: Region }> {
  const engine = await harness.open(context, options);
  await engine.createRegion(definition('orders'));
  return { engine, region: await requireRegion(engine, 'orders') };
}

export async function requireRegion(engine: Engine, name: string): Promise<Region> {
  const region = await engine.openRegion(name);
  assert.ok(region, `region ${name} exists`);
  return region;
}

export function definition(
  name: string,
  type: RegionDefinition['type'] = 'REPLICATE',
): RegionDefinition {
  return { name, type, keyConstraint: null, valueConstraint: null };
}
