// Answers to requests about regions and their indexes, as adapters pass them on.

import type { AddIndexOutcome, AlterRegionOutcome, Committed } from './engine.ts';

export type RegionOutcome =
  | Committed
  | AddIndexOutcome
  | {
      readonly kind:
        | 'created'
        | 'exists'
        | 'destroyed'
        | 'missing'
        | 'altered'
        | 'unaltered'
        | 'dropped'
        | 'index-missing';
    };

/** The outcome of an alteration in the port's terms. */
export function toAlterOutcome({ kind }: { readonly kind: string }): AlterRegionOutcome {
  if (kind === 'altered') return 'altered';
  return kind === 'unaltered' ? 'unchanged' : 'missing';
}
