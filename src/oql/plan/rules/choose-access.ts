// Chooses the cheapest of the candidates for reading the first region.

import { printAmount } from '../../../value/print-amount.ts';
import { countsWithoutLimit } from '../../bind/count-limit.ts';
import { isLeftJoined } from '../../columnar/shape.ts';
import { type AccessCandidate, type Draft, type Rule, sortCost, withFound } from '../draft.ts';
import { indexesIn, type RefusedIndex } from '../plan-node.ts';

export const chooseAccess: Rule = {
  name: 'choose-access',
  apply(draft) {
    const { select } = draft.data.shape;
    const { where } = select;
    const isNeverTrue =
      where?.kind === 'literal' && (where.value === false || where.value === null);
    // ON of a LEFT JOIN may still fail.
    const isEmpty = isNeverTrue && !draft.data.shape.iterators.some(isLeftJoined);
    if (isEmpty) return { ...draft, access: { kind: 'empty', rows: 0 } };
    // The number of all entries is known without reading any.
    if (countsWithoutLimit(select) && !select.distinct) {
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

/** Rows that a scan reads: a query with only a LIMIT stops at its last row, others read all. */
function scannedRows(draft: Draft): number {
  const { data, facts } = draft;
  const { size } = data.tableOf(0);
  const { select } = data.shape;
  const endsEarly =
    select.orderBy.length === 0 && select.grouping === undefined && !select.distinct;
  // The cheapest index returns about as many rows as WHERE keeps.
  const lookupRows = draft.candidates.map(({ access }) =>
    access.kind === 'lookup' ? access.rows : size,
  );
  const matchingRows = Math.min(size, ...lookupRows);
  if (!endsEarly || facts.neededRows >= matchingRows) return size;
  return Math.ceil((facts.neededRows * size) / Math.max(1, matchingRows));
}

/** Every index that was not chosen, with the rows that it would have read. */
function refuse(draft: Draft, chosen: AccessCandidate | undefined): readonly RefusedIndex[] {
  const chosenNames = chosen === undefined ? [] : indexesIn(chosen.access).map(({ name }) => name);
  const other = chosenNames.join(' and ') || 'a scan';
  const merit = chosen !== undefined && chosen.cost < 0 ? 'hinted' : 'cheaper';
  const refused = new Map<string, RefusedIndex>();
  for (const { access } of draft.candidates) {
    const reason = `it would read ${printAmount(access.rows, 'row')}; ${other} is ${merit}`;
    for (const { name } of indexesIn(access)) {
      if (!chosenNames.includes(name) && !refused.has(name)) refused.set(name, { name, reason });
    }
  }
  return [...refused.values()];
}
