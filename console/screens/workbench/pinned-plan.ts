// A pinned plan, for comparison with others.

import { signal } from '@preact/signals';
import type { Plan } from '../../../src/client/index.ts';

interface PinnedPlan {
  readonly plan: Plan;
  /** Its query. */
  readonly text: string;
}

export const pinnedPlan = signal<PinnedPlan | undefined>(undefined);
