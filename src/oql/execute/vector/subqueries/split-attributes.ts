// `o.tags.size` reads a member called size, or the length of a list, depending on the value of
// `o.tags`. So the path is split before such a name, and the rest is computed for each row from the
// column of `o.tags`. The query then runs over columns.

import { mapChanged } from '../../../bind/bound-children.ts';
import type { BoundExpression, BoundQuery } from '../../../bind/bound-query.ts';
import { regionSourceOf } from '../../../bind/region-source.ts';
import { isAttributeName } from '../../../methods/method-names.ts';

/** The query with its paths cut; itself if there is nothing to cut. */
export function splitAttributes(query: BoundQuery): BoundQuery {
  const { body } = query;
  if (body.kind !== 'select') return query;
  const cut = (node: BoundExpression): BoundExpression => {
    if (node.kind !== 'path' || node.depth !== body.depth) return mapChanged(node, cut);
    const { members, span } = node;
    const at = members.findIndex(isAttributeName);
    // Whole values of a region have no column to compute with.
    const source = body.iterators[node.iterator]?.source;
    const isOfKey = regionSourceOf(source)?.view === 'keys';
    if (at < (source?.kind === 'path' || isOfKey ? 0 : 1)) return node;
    const prefix: BoundExpression = { ...node, members: members.slice(0, at) };
    return members
      .slice(at)
      .reduce<BoundExpression>((target, name) => ({ kind: 'member', target, name, span }), prefix);
  };
  const changed = mapChanged(body, cut);
  return changed === body ? query : { ...query, body: changed };
}
