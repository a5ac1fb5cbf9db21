// The history and expiry settings of a region: the part of its definition that can be altered.

import type { AlterRegionOutcome, RegionDefinition } from './engine.ts';
import type { HistoryBounds } from './history-bounds.ts';

export interface RegionSettings {
  /** No history when absent. */
  readonly history?: HistoryBounds;
  /** Default time to live of an entry; unlimited when absent. */
  readonly entryTtlMs?: number;
  /** Maximum time to live of an entry; unlimited when absent. */
  readonly maxTtlMs?: number;
}

/** Members that are absent stay as they are; null takes one away. */
export type RegionAlteration = {
  readonly [Name in keyof RegionSettings]?: RegionSettings[Name] | null | undefined;
};

/** A definition with its known members alone, in a fixed order: engines keep it as JSON. */
export function toStoredDefinition(definition: RegionDefinition): RegionDefinition {
  const { entryTtlMs, history, keyConstraint, maxTtlMs, name, type, valueConstraint } = definition;
  return {
    name,
    type,
    keyConstraint,
    valueConstraint,
    ...(history === undefined ? {} : { history: { ageMs: history.ageMs, count: history.count } }),
    ...(entryTtlMs === undefined ? {} : { entryTtlMs }),
    ...(maxTtlMs === undefined ? {} : { maxTtlMs }),
  };
}

/** The outcome of an alteration in the port's terms. */
export function toAlterOutcome({ kind }: { readonly kind: string }): AlterRegionOutcome {
  if (kind === 'altered') return 'altered';
  return kind === 'unaltered' ? 'unchanged' : 'missing';
}

/** The definition as altered; undefined when nothing of it changes. */
export function alterDefinition(
  definition: RegionDefinition,
  alteration: RegionAlteration,
): RegionDefinition | undefined {
  const { entryTtlMs, history, maxTtlMs, ...fixed } = definition;
  const altered = toStoredDefinition({
    ...fixed,
    ...member('history', pick(alteration.history, history)),
    ...member('entryTtlMs', pick(alteration.entryTtlMs, entryTtlMs)),
    ...member('maxTtlMs', pick(alteration.maxTtlMs, maxTtlMs)),
  });
  const isSame = JSON.stringify(altered) === JSON.stringify(toStoredDefinition(definition));
  return isSame ? undefined : altered;
}

function pick<T>(altered: T | null | undefined, current: T | undefined): T | undefined {
  return altered === undefined ? current : (altered ?? undefined);
}

function member<Name extends string, T>(
  name: Name,
  value: T | undefined,
): { readonly [N in Name]?: T } {
  // One member of that name, or none.
  return (value === undefined ? {} : { [name]: value }) as { readonly [N in Name]?: T };
}
