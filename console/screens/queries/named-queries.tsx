// The catalogue of named queries: what each does, how often it is called and how long it
// takes, and a form to run it.

import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import './named-queries.css';
import type { GridClient, NamedQuery, QueryStatistics } from '../../../src/client/index.ts';
import { useResource } from '../../api/resource.ts';
import { may } from '../../api/session.ts';
import type { ScreenProps } from '../../app/router.ts';
import { hrefOf, navigate } from '../../app/router.ts';
import { Button } from '../../design/button.tsx';
import { SearchInput } from '../../design/field.tsx';
import { ErrorNotice } from '../../design/notice.tsx';
import { printCount, printDuration } from '../../design/print-numbers.ts';
import { Badge, EmptyState, Skeleton } from '../../design/small-parts.tsx';
import { addTab, currentTab } from '../workbench/tabs.ts';
import { QueryDetails } from './query-details.tsx';

type Statistics = QueryStatistics['queries'][number];

export interface CataloguedQuery extends NamedQuery {
  /** Undefined for a query that was not called, and where the login may not see it. */
  readonly statistics: Statistics | undefined;
}

const LOADED_EVERY_MS = 5000;

export function NamedQueries({ parameters }: ScreenProps) {
  const { reload, state } = useResource(loadCatalogue, [], { everyMs: LOADED_EVERY_MS });
  const filter = useSignal('');
  const selected = parameters.get('id');
  const { kind, value: queries } = state.value;
  if (kind === 'failed')
    return (
      <Page>
        <ErrorNotice error={state.value.error} />
      </Page>
    );
  if (queries === undefined)
    return (
      <Page>
        <Skeleton width="50%" />
      </Page>
    );
  if (queries.length === 0)
    return (
      <Page>
        <NoQueries />
      </Page>
    );
  const shown = queries.filter(({ id, oql }) =>
    `${id} ${oql}`.toLowerCase().includes(filter.value.toLowerCase()),
  );
  const current = queries.find(({ id }) => id === selected);
  return (
    <Page>
      <SearchInput
        label="Filter by name or text"
        placeholder="Filter by name or text"
        value={filter.value}
        onInput={(value) => {
          filter.value = value;
        }}
      />
      <Catalogue queries={shown} selected={current?.id} />
      {current !== undefined && (
        <QueryDetails
          key={current.id}
          query={current}
          onRemoved={() => {
            navigate({ screen: 'queries' });
            void reload();
          }}
        />
      )}
      {selected !== null && current === undefined && (
        <p class="result-note">There is no named query {selected}.</p>
      )}
    </Page>
  );
}

function Page({ children }: { readonly children: preact.ComponentChildren }) {
  return (
    <div class="page">
      <header class="section-head">
        <h1>Named queries</h1>
        {may(['QUERY', 'MANAGE']) && (
          <Button icon="plus" onClick={writeNew}>
            New query
          </Button>
        )}
      </header>
      {children}
    </div>
  );
}

/** In an empty tab of the workbench, where it is tried and saved. */
function writeNew(): void {
  if (currentTab().text.trim() !== '') addTab();
  navigate({ screen: 'workbench' });
}

function NoQueries() {
  return (
    <EmptyState icon="named" title="There are no named queries yet">
      A named query is a text that clients call by its name, with parameters. Write one in the
      workbench and save it.
    </EmptyState>
  );
}

interface CatalogueProps {
  readonly queries: readonly CataloguedQuery[];
  readonly selected: string | undefined;
}

function Catalogue({ queries, selected }: CatalogueProps) {
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => {
    frame.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
  }, [selected]);
  if (queries.length === 0) return <p class="result-note">Nothing matches.</p>;
  const classes = selected === undefined ? 'table-frame' : 'table-frame queries-with-chosen';
  return (
    <div ref={frame} class={classes}>
      <table class="table">
        <thead>
          <tr>
            <th>Name</th>
            <th class="queries-text">Text</th>
            <th class="number">Calls</th>
            <th class="number">Median</th>
            <th class="number">p99</th>
            <th>Last error</th>
          </tr>
        </thead>
        <tbody>
          {queries.map(({ id, oql, statistics }) => (
            <tr key={id}>
              <td class="queries-name">
                <a
                  href={hrefOf({ screen: 'queries', parameters: { id } })}
                  aria-current={id === selected ? 'true' : undefined}
                >
                  {id}
                </a>
              </td>
              <td class="queries-text mono">{oql}</td>
              <td class="number">
                {statistics === undefined ? '–' : printCount(statistics.calls)}
              </td>
              <td class="number">{printMs(statistics?.['median-ms'])}</td>
              <td class="number">{printMs(statistics?.['p99-ms'])}</td>
              <td>
                {statistics?.['last-error'] !== undefined && (
                  <Badge kind="danger">{statistics['last-error'].code}</Badge>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function printMs(ms: number | undefined): string {
  return ms === undefined ? '–' : printDuration(ms / 1000);
}

async function loadCatalogue(
  client: GridClient,
  signal: AbortSignal,
): Promise<readonly CataloguedQuery[]> {
  const [queries, statistics] = await Promise.all([
    client.queries.list({ signal }),
    may(['QUERY', 'MANAGE']) ? client.service.readQueryStatistics({ signal }) : undefined,
  ]);
  const byId = new Map(statistics?.queries.map((each) => [each['query-id'], each]));
  return queries.map((query) => ({ ...query, statistics: byId.get(query.id) }));
}
