// Requests of an engine to its queue of writes, and their outcomes. They are plain data, so that they
// can be sent to a thread.

import type {
  AddIndexOutcome,
  AlterRegionOutcome,
  Change,
  CommitOutcome,
  Committed,
  DropIndexOutcome,
  RegionDefinition,
  WriteGuard,
  WriteOutcome,
} from './engine.ts';
import { checkChanges } from './entry-limits.ts';
import type { IndexDefinition } from './index-definition.ts';
import type { RegionAlteration } from './region-settings.ts';

export interface WriteRequest {
  readonly kind: 'write';
  readonly regionId: number;
  readonly region: string;
  readonly changes: readonly Change[];
  readonly guards: readonly WriteGuard[];
}

/** Concerns a region as a whole. */
export type RegionRequest =
  | { readonly kind: 'clear'; readonly regionId: number; readonly region: string }
  | { readonly kind: 'create-region'; readonly definition: RegionDefinition }
  | { readonly kind: 'destroy-region'; readonly region: string }
  | {
      readonly kind: 'alter-region';
      readonly region: string;
      readonly alteration: RegionAlteration;
    }
  | IndexRequest;

export type IndexRequest =
  | { readonly kind: 'add-index'; readonly region: string; readonly index: IndexDefinition }
  | { readonly kind: 'drop-index'; readonly region: string; readonly index: string };

/** The outcome of each kind of request, as the port returns it. */
export interface Outcomes {
  readonly write: WriteOutcome;
  readonly commit: CommitOutcome;
  readonly clear: Committed;
  readonly 'create-region': 'created' | 'exists';
  readonly 'destroy-region': 'destroyed' | 'missing';
  readonly 'alter-region': AlterRegionOutcome;
  readonly 'add-index': AddIndexOutcome;
  readonly 'drop-index': DropIndexOutcome;
}

export type RegionOutcome = Outcomes[RegionRequest['kind']];

/** Identifies a region: one that was created again under the same name has another number. */
interface KnownRegion {
  readonly regionId: number;
  readonly region: string;
}

export function toWriteRequest(
  { region, regionId }: KnownRegion,
  changes: readonly Change[],
  guards: readonly WriteGuard[],
): WriteRequest {
  checkChanges(changes);
  return { kind: 'write', regionId, region, changes, guards };
}
