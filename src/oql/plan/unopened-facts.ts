// A query before its tables are opened: no constant is known yet, and a column may hold anything.

import { SlotFinder, type VectorShape } from '../columnar/shape.ts';
import type { QueryFacts } from './plan-data.ts';
import { ANYTHING } from './safety.ts';

export function unopenedFacts(shape: VectorShape): QueryFacts {
  const slots = new SlotFinder(shape.slots);
  return {
    shape,
    constant: () => undefined,
    slotOf: (expression) => (expression.kind === 'path' ? slots.find(expression) : -1),
    tagsOf: () => ANYTHING,
  };
}
