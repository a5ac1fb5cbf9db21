// An engine whose chosen calls fail, for tests of the layers above. Every other call goes to the
// wrapped engine. Regions and snapshots are wrapped as well.

import type { Engine, KeyRange, Region, Snapshot } from '../engine.ts';
import type { EngineError } from '../errors.ts';
import type { ScanForm } from '../scan-batches.ts';

type SynchronousCall = 'subscribe' | 'stats' | 'health' | 'catchUp' | 'listServers';

export type FailingCall =
  | `engine.${Exclude<keyof Engine, SynchronousCall>}`
  | `region.${Exclude<keyof Region, 'definition'>}`
  | `snapshot.${Exclude<keyof Snapshot, 'sequence' | 'close' | 'scan'>}`
  | `snapshot.scan-${ScanForm}`;

/** The error with which a call fails; undefined lets it through. Called before every call. */
export type FailurePlan = (call: FailingCall) => EngineError | undefined;

export function createFailingEngine(engine: Engine, plan: FailurePlan): Engine {
  return wrap(engine, 'engine', plan, {
    openRegion: async (name: string): Promise<Region | undefined> => {
      throwIfPlanned(plan('engine.openRegion'));
      const region = await engine.openRegion(name);
      return region && wrap(region, 'region', plan, {});
    },
    openSnapshot: async (): Promise<Snapshot> => {
      throwIfPlanned(plan('engine.openSnapshot'));
      const snapshot = await engine.openSnapshot();
      return wrap(snapshot, 'snapshot', plan, {
        scan: (region: string, range: KeyRange, form: ScanForm) =>
          failFirst(plan, `snapshot.scan-${form}`, snapshot.scan(region, range, form)),
      });
    },
  });
}

/** Consults the plan before each batch, so that a scan can also fail half-way. */
async function* failFirst<Batch>(
  plan: FailurePlan,
  call: FailingCall,
  batches: AsyncIterable<Batch>,
): AsyncGenerator<Batch> {
  throwIfPlanned(plan(call));
  for await (const batch of batches) {
    yield batch;
    throwIfPlanned(plan(call));
  }
}

const SYNCHRONOUS: ReadonlySet<unknown> = new Set([
  'subscribe',
  'stats',
  'health',
  'catchUp',
  'listServers',
  'sequence',
  'definition',
]);

function wrap<Target extends Engine | Region | Snapshot>(
  target: Target,
  name: 'engine' | 'region' | 'snapshot',
  plan: FailurePlan,
  overrides: Partial<Record<keyof Target, unknown>>,
): Target {
  return new Proxy(target, {
    get(_, property) {
      if (Object.hasOwn(overrides, property)) return Reflect.get(overrides, property);
      const member: unknown = Reflect.get(target, property);
      if (typeof member !== 'function') return member;
      if (SYNCHRONOUS.has(property)) return member.bind(target);
      // Every other method of the port is a call that a plan may name.
      const call = `${name}.${String(property)}` as FailingCall;
      return (...parameters: unknown[]): unknown => {
        const error = plan(call);
        if (error === undefined) return Reflect.apply(member, target, parameters);
        if (call === 'snapshot.count') throw error;
        return Promise.reject(error);
      };
    },
  });
}

function throwIfPlanned(error: EngineError | undefined): void {
  if (error !== undefined) throw error;
}
