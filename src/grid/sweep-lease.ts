// The lease of the server that removes expired entries, if a store has several servers. It is an
// entry that is taken and renewed by compare-and-set on its version. Two holders at once, which
// differing clocks can cause, do no harm: each removal names the version of its entry.

import type { Engine } from '../engine/engine.ts';
import { EXPIRY_REGION, LEASE_KEY } from './expiry-records.ts';
import { unchangedGuard } from './precondition.ts';

const LEASE_MS = 5000;
/** A lease is renewed when less time is left. */
const RENEW_MS = 2500;

interface LeaseParts {
  readonly engine: Engine;
  readonly wallClock: () => number;
  readonly servers: () => readonly string[];
}

export class SweepLease {
  readonly #parts: LeaseParts;
  #heldUntilMs = 0;

  constructor(parts: LeaseParts) {
    this.#parts = parts;
  }

  /** Whether this server may sweep now. A single server always may. */
  async hold(): Promise<boolean> {
    const { engine, servers, wallClock } = this.#parts;
    const server = servers().join(' ');
    if ((await engine.listServers()) === undefined) return true;
    const nowMs = wallClock();
    if (this.#heldUntilMs - nowMs > RENEW_MS) return true;
    const region = await engine.openRegion(EXPIRY_REGION);
    if (region === undefined) return false;
    const [lease] = await region.read([LEASE_KEY]);
    // Only written below.
    const held = lease && (JSON.parse(lease.value) as { server: string; until: number });
    if (held !== undefined && held.server !== server && held.until > nowMs) return false;
    const until = nowMs + LEASE_MS;
    const outcome = await region.write(
      [{ kind: 'put', key: LEASE_KEY, value: JSON.stringify({ server, until }) }],
      [unchangedGuard(LEASE_KEY, lease?.version)],
    );
    if (outcome.kind !== 'committed') return false;
    this.#heldUntilMs = until;
    return true;
  }
}
