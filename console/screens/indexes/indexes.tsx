// The indexes of a region: definition, number of values, use by queries and by named queries;
// creates and drops indexes.

import { useSignal } from '@preact/signals';
import { Fragment } from 'preact';
import type { GridClient, IndexDetails, RegionIndex } from '../../../src/client/index.ts';
import { explainQueries } from '../../api/explain-queries.ts';
import { useResource } from '../../api/resource.ts';
import { call, may, mayBegin } from '../../api/session.ts';
import { hrefOf, type RegionScreenProps } from '../../app/router.ts';
import { useCommands } from '../../app/use-commands.ts';
import { Button } from '../../design/button.tsx';
import { ConfirmDialog } from '../../design/confirm-dialog.tsx';
import { ErrorNotice } from '../../design/notice.tsx';
import { printCount, printTime } from '../../design/print-numbers.ts';
import { Badge, EmptyState } from '../../design/small-parts.tsx';
import { showToast } from '../../design/toasts.tsx';
import { CreateIndexDialog } from './create-index-dialog.tsx';
import './indexes.css';

interface IndexFacts extends IndexDetails {
  /** Distinct values; undefined if they cannot be counted. */
  readonly values: number | undefined;
  /** Named queries that would use it. */
  readonly usedBy: readonly string[];
}

export function Indexes({ region }: RegionScreenProps) {
  const isCreating = useSignal(false);
  const mayManage = may(['CLUSTER', 'MANAGE']);
  const { reload, state } = useResource(
    (client, signal) => readIndexes(client, region, signal),
    [region],
  );
  const open = (): void => {
    isCreating.value = true;
  };
  useCommands(
    mayManage ? [{ title: 'Create an index', group: region, icon: 'plus', run: open }] : [],
    [region, mayManage],
  );
  const loaded = state.value;
  return (
    <div class="page">
      <header class="section-head">
        <p class="quiet">
          An index lets queries find entries by a value instead of reading all of them. It never
          changes an answer.
        </p>
        {mayManage && (
          <Button icon="plus" onClick={open}>
            Create an index
          </Button>
        )}
      </header>
      {loaded.kind === 'failed' && (
        <ErrorNotice
          error={loaded.error}
          action={<Button onClick={() => void reload()}>Try again</Button>}
        />
      )}
      {loaded.value?.length === 0 && (
        <EmptyState icon="index" title="There are no indexes yet">
          Queries read the whole region. Create an index on a value that they compare, such as
          customerId.
        </EmptyState>
      )}
      {loaded.value !== undefined && loaded.value.length > 0 && (
        <IndexTable region={region} indexes={loaded.value} onChange={() => void reload()} />
      )}
      {isCreating.value && (
        <CreateIndexDialog
          region={region}
          onCreated={() => void reload()}
          onClose={() => {
            isCreating.value = false;
          }}
        />
      )}
    </div>
  );
}

interface IndexTableProps {
  readonly region: string;
  readonly indexes: readonly IndexFacts[];
  readonly onChange: () => void;
}

function IndexTable({ indexes, onChange, region }: IndexTableProps) {
  const dropped = useSignal<IndexFacts | undefined>(undefined);
  const mayManage = may(['CLUSTER', 'MANAGE']);
  const drop = async (name: string): Promise<void> => {
    await call((client) => client.dropIndex(region, name));
    showToast(`Index ${name} was dropped.`);
    onChange();
  };
  return (
    <div class="table-frame">
      <table class="table index-table">
        <thead>
          <tr>
            <th scope="col">Index</th>
            <th scope="col">Kind</th>
            <th scope="col">On</th>
            <th scope="col" class="number">
              Values
            </th>
            <th scope="col">Uses</th>
            <th scope="col">Named queries that use it</th>
            {mayManage && (
              <th scope="col">
                <span class="visually-hidden">Actions</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {indexes.map((index) => (
            <IndexRow
              key={index.name}
              index={index}
              onDrop={mayManage ? () => (dropped.value = index) : undefined}
            />
          ))}
        </tbody>
      </table>
      {dropped.value !== undefined && (
        <ConfirmDialog
          title={`Drop index ${dropped.value.name}?`}
          action="Drop"
          onConfirm={() => drop(dropped.value?.name ?? '')}
          onClose={() => (dropped.value = undefined)}
        >
          <p>{printLoss(dropped.value)}</p>
        </ConfirmDialog>
      )}
    </div>
  );
}

interface IndexRowProps {
  readonly index: IndexFacts;
  readonly onDrop: (() => void) | undefined;
}

function IndexRow({ index, onDrop }: IndexRowProps) {
  return (
    <tr>
      <th scope="row">{index.name}</th>
      <td>
        <Badge>{index.kind}</Badge>
        {index.unique === true && <Badge>unique</Badge>}
      </td>
      <td class="mono">
        {index.expression}
        <span class="index-more index-from">{`from ${index.from}`}</span>
      </td>
      <td class="number" data-label="Values">
        {index.values === undefined ? '–' : printCount(index.values)}
      </td>
      <td data-label="Uses">
        {index.uses === 0 ? 'none' : printCount(index.uses)}
        <span class="index-more">
          {index.lastUsed === undefined
            ? `since ${printTime(index.countedSince)}`
            : `last ${printTime(index.lastUsed)}`}
        </span>
      </td>
      <td data-label="Named queries that use it">
        {index.usedBy.length === 0 && <span class="quiet">none</span>}
        {index.usedBy.map((id, at) => (
          <Fragment key={id}>
            {at > 0 && ', '}
            <a href={hrefOf({ screen: 'queries', parameters: { id } })}>{id}</a>
          </Fragment>
        ))}
      </td>
      {onDrop !== undefined && (
        <td class="number">
          <Button
            kind="quiet"
            size="small"
            icon="trash"
            label={`Drop ${index.name}`}
            onClick={onDrop}
          />
        </td>
      )}
    </tr>
  );
}

function printLoss({ expression, from, usedBy }: IndexFacts): string {
  const use =
    usedBy.length === 0
      ? 'No named query uses it.'
      : `${usedBy.join(', ')} will read more entries without it.`;
  return `The index is on ${expression} from ${from}. No entry is removed. ${use}`;
}

async function readIndexes(
  client: GridClient,
  region: string,
  signal: AbortSignal,
): Promise<readonly IndexFacts[]> {
  const [indexes, explained] = await Promise.all([
    client.listIndexes(region, { signal }),
    mayBegin(['QUERY', 'RUN']) ? explainQueries(client, signal) : [],
  ]);
  const isUsedBy = (name: string) => (plan: Readonly<Record<string, unknown>>) =>
    Array.isArray(plan['indexes-used']) && plan['indexes-used'].includes(name);
  return Promise.all(
    indexes.map(async (index) => ({
      ...index,
      values: await countValues(client, index, signal),
      usedBy: explained.filter(({ plan }) => isUsedBy(index.name)(plan)).map(({ id }) => id),
    })),
  );
}

/**
 * The figures of the index itself; nothing is shown if it has none, or the login may not read them.
 * An analyzed query does not count as a use.
 */
async function countValues(
  client: GridClient,
  { expression, from }: RegionIndex,
  signal: AbortSignal,
): Promise<number | undefined> {
  if (!may(['QUERY', 'RUN', 'adhoc']) || /[,[]/.test(expression)) return undefined;
  try {
    const oql = `SELECT DISTINCT ${expression} FROM ${from}`;
    const { plan } = await client.queries.adhoc(oql, [], { signal }).analyze();
    const rows = plan['actual-rows'];
    return typeof rows === 'number' ? rows : undefined;
  } catch {
    return undefined;
  }
}
