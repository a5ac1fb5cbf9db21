// Definitions of regions, as engines store and alter them.

import type { RegionDefinition } from './engine.ts';
import type { RegionAlteration } from './region-settings.ts';

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
