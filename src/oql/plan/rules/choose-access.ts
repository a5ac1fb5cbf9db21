// Chooses the cheapest of the candidates for reading the first region.

import { printAmount } from '../../../value/print-amount.ts';
import { countsWithoutLimit } from '../../bind/count-limit.ts';
import { type Candidate, type Draft, type Rule, withFound } from '../draft.ts';
import { indexesIn, type RefusedIndex } from '../plan-node.ts';
import { scannedRows, sortCost } from '../scan-cost.ts';

export const chooseAccess: Rule = {
  name: 'choose-access',
  apply(draft) {
    if (isNeverTrue(draft)) return { ...draft, access: { kind: 'empty' } };
    if (isWholeCount(draft)) {
      return { ...draft, access: { kind: 'size', rows: draft.data.tableOf(0).entryCount } };
    }
    const rows = scannedRows(draft);
    const scanCost = rows + sortCost(draft, rows);
    const [best] = [...draft.candidates].sort((a, b) => a.cost - b.cost);
    const chosen = best !== undefined && best.cost <= scanCost ? best : undefined;
    const access = chosen?.access ?? { kind: 'scan', rows };
    return withFound({ ...draft, access }, { refused: refuse(draft, chosen) });
  },
};

/** Whether WHERE is a constant, and not true. */
function isNeverTrue({ data }: Draft): boolean {
  const { where } = data.shape.select;
  return where?.kind === 'literal' && (where.value === false || where.value === null);
}

/** A count of all entries, which is known without reading any. */
function isWholeCount({ data }: Draft): boolean {
  const { select } = data.shape;
  return countsWithoutLimit(select) && !select.distinct;
}

/** Every index that was not chosen, with the rows that it would have read. */
function refuse(draft: Draft, chosen: Candidate | undefined): readonly RefusedIndex[] {
  const taken = chosen === undefined ? [] : indexesIn(chosen.access).map(({ name }) => name);
  const other = taken.join(' and ') || 'a scan';
  const merit = chosen !== undefined && chosen.cost < 0 ? 'hinted' : 'cheaper';
  const refused = new Map<string, RefusedIndex>();
  for (const { access } of draft.candidates) {
    const rows = 'rows' in access ? access.rows : 0;
    const reason = `it would read ${printAmount(rows, 'row')}; ${other} is ${merit}`;
    for (const { name } of indexesIn(access)) {
      if (!taken.includes(name) && !refused.has(name)) refused.set(name, { name, reason });
    }
  }
  return [...refused.values()];
}
