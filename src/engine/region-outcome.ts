// Answers to requests about regions and their indexes, as adapters pass them on.

import type { AddIndexOutcome, Committed } from './engine.ts';

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
