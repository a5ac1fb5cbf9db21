// Tips with their evidence and an action.

import { useSignal } from '@preact/signals';
import type { GridClient } from '../../../src/client/index.ts';
import { explainQueries } from '../../api/explain-queries.ts';
import { regions } from '../../api/regions.ts';
import { useResource } from '../../api/resource.ts';
import { call, may, mayBegin } from '../../api/session.ts';
import { hrefOf } from '../../app/router.ts';
import { Button, LinkButton } from '../../design/button.tsx';
import { ConfirmDialog } from '../../design/confirm-dialog.tsx';
import { Icon } from '../../design/icon.tsx';
import { showError, showToast } from '../../design/toasts.tsx';
import {
  figureTips,
  limitTips,
  type SuggestedIndex,
  scanTips,
  type Tip,
  unusedTips,
} from './find-tips.ts';
import { history } from './history.ts';

const LOADED_EVERY_MS = 30_000;

export function Tips() {
  const mayExplain = mayBegin(['QUERY', 'RUN']);
  const mayManage = may(['QUERY', 'MANAGE']);
  const names = regions.value?.map(({ name }) => name) ?? [];
  const { reload, state } = useResource(
    async (client, signal) => {
      const found = await Promise.all([
        mayExplain ? findScanTips(client, signal) : [],
        mayManage ? findLimitTips(client, signal) : [],
        findUnusedTips(client, names, signal),
      ]);
      return found.flat();
    },
    [mayExplain, mayManage, names.join('/')],
    { everyMs: LOADED_EVERY_MS },
  );
  const tips = [...(state.value.value ?? []), ...figureTips(history.value, expires)];
  if (tips.length === 0) return null;
  return (
    <section class="overview-section" aria-labelledby="overview-tips">
      <div class="section-head">
        <h2 id="overview-tips">Tips</h2>
      </div>
      <ul class="tips">
        {tips.map((tip) => (
          <li key={tip.id} class="card tip">
            <Icon name="tip" />
            <div class="tip-text">
              <h3>{tip.title}</h3>
              <p class="quiet">{tip.evidence}</p>
            </div>
            <TipAction tip={tip} onDone={() => void reload()} />
          </li>
        ))}
      </ul>
    </section>
  );
}

interface TipActionProps {
  readonly tip: Tip;
  readonly onDone: () => void;
}

function TipAction({ onDone, tip: { action } }: TipActionProps) {
  switch (action?.kind) {
    case undefined:
      return null;
    case 'see-query':
      return (
        <LinkButton href={hrefOf({ screen: 'queries', parameters: { id: action.id } })}>
          See the query
        </LinkButton>
      );
    case 'see-changes':
      return (
        <LinkButton href={hrefOf({ screen: 'changes', region: action.region })}>
          See its changes
        </LinkButton>
      );
    case 'create-index':
      return may(['CLUSTER', 'MANAGE']) ? (
        <CreateIndex index={action.index} onDone={onDone} />
      ) : null;
    case 'drop-index':
      return may(['CLUSTER', 'MANAGE']) ? <DropIndex {...action} onDone={onDone} /> : null;
  }
}

interface CreateIndexProps {
  readonly index: SuggestedIndex;
  readonly onDone: () => void;
}

function CreateIndex({ index, onDone }: CreateIndexProps) {
  const isBusy = useSignal(false);
  const create = async (): Promise<void> => {
    isBusy.value = true;
    try {
      const { region, ...definition } = index;
      await call((client) => client.createIndex(region, { ...definition, kind: 'range' }));
      showToast(`Index ${index.name} was created.`);
      onDone();
    } catch (error) {
      showError(error);
    } finally {
      isBusy.value = false;
    }
  };
  return (
    <Button disabled={isBusy.value} onClick={() => void create()}>
      Create this index
    </Button>
  );
}

interface DropIndexProps {
  readonly region: string;
  readonly name: string;
  readonly onDone: () => void;
}

function DropIndex({ name, onDone, region }: DropIndexProps) {
  const isAsking = useSignal(false);
  return (
    <>
      <Button onClick={() => (isAsking.value = true)}>Drop this index</Button>
      {isAsking.value && (
        <ConfirmDialog
          title={`Drop index ${name}?`}
          action="Drop"
          onConfirm={async () => {
            await call((client) => client.dropIndex(region, name));
            showToast(`Index ${name} was dropped.`);
            onDone();
          }}
          onClose={() => (isAsking.value = false)}
        >
          <p>{`No entry of ${region} is removed. Queries on other servers may use the index.`}</p>
        </ConfirmDialog>
      )}
    </>
  );
}

function expires(region: string): boolean {
  return regions.value?.find(({ name }) => name === region)?.settings?.entryTtl != null;
}

async function findScanTips(client: GridClient, signal: AbortSignal): Promise<readonly Tip[]> {
  const explained = await explainQueries(client, signal);
  const tips = explained.flatMap(({ id, plan }) => scanTips(id, plan));
  return [...new Map(tips.map((tip) => [nameOf(tip), tip])).values()];
}

/** One tip per index, regardless of the number of queries. */
function nameOf({ action, id }: Tip): string {
  return action?.kind === 'create-index' ? action.index.name : id;
}

async function findLimitTips(client: GridClient, signal: AbortSignal): Promise<readonly Tip[]> {
  const [{ queries }, settings] = await Promise.all([
    client.service.readQueryStatistics({ signal }),
    client.service.readSettings({ signal }),
  ]);
  const limit = settings.find(({ path }) => path === 'query.max-execution-time-ms');
  return limitTips(queries, Number(limit?.value ?? 0));
}

/** With more regions none is checked, because tips are hints, not a report. */
const MAX_REGIONS = 50;

async function findUnusedTips(
  client: GridClient,
  names: readonly string[],
  signal: AbortSignal,
): Promise<readonly Tip[]> {
  const found = await Promise.all(
    names.slice(0, MAX_REGIONS).map(async (region) => {
      const indexes = await client.listIndexes(region, { signal });
      return unusedTips(region, indexes, Date.now());
    }),
  );
  return found.flat();
}
