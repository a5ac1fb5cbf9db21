// Shown before the first run: queries over the regions of this grid.

import { regionPath } from '../../api/region-path.ts';
import { regions } from '../../api/regions.ts';
import { may } from '../../api/session.ts';
import { hrefOf } from '../../app/router.ts';
import { EmptyState } from '../../design/small-parts.tsx';

/** Queries that are offered, each over another region. */
const MOST = 3;

export function FirstQueries() {
  const readable = regions.value?.filter(({ name }) => may(['DATA', 'READ', name])) ?? [];
  const filled = readable.filter(({ entryCount }) => entryCount !== 0);
  const texts = (filled.length > 0 ? filled : readable)
    .slice(0, MOST)
    .map(({ name }) => `SELECT * FROM ${regionPath(name)} LIMIT 20`);
  return (
    <EmptyState
      icon="query"
      title="Ask the grid"
      action={
        texts.length > 0 && (
          <ul class="first-queries">
            {texts.map((text) => (
              <li key={text}>
                <a class="mono" href={hrefOf({ screen: 'workbench', parameters: { q: text } })}>
                  {text}
                </a>
              </li>
            ))}
          </ul>
        )
      }
    >
      Write a query above and run it. Regions are named with a slash
      {texts.length > 0 ? ', as in these:' : '.'}
    </EmptyState>
  );
}
