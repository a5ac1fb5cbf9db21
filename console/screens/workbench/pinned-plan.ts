// A plan that is kept in sight, to hold others against it.

import { signal } from '@preact/signals';
import type { Plan } from '../../../src/client/index.ts';

interface PinnedPlan {
  readonly plan: Plan;
  /** The query that it is of. */
  readonly text: string;
}

export const pinnedPlan = signal<PinnedPlan | undefined>(undefined);
