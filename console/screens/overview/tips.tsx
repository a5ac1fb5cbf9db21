// Tips with their evidence; an index that would help is created by one click.

import { useSignal } from '@preact/signals';
import type { GridClient } from '../../../src/client/index.ts';
import { explainQueries } from '../../api/explain-queries.ts';
import { useResource } from '../../api/resource.ts';
import { call, may, mayBegin } from '../../api/session.ts';
import { Button } from '../../design/button.tsx';
import { Icon } from '../../design/icon.tsx';
import { showError, showToast } from '../../design/toasts.tsx';
import { figureTips, type SuggestedIndex, scanTips, type Tip } from './find-tips.ts';
import { history } from './history.ts';

export function Tips() {
  const mayExplain = mayBegin(['QUERY', 'RUN']);
  const { reload, state } = useResource(
    async (client, signal) => (mayExplain ? findScanTips(client, signal) : []),
    [mayExplain],
  );
  const tips = [...(state.value.value ?? []), ...figureTips(history.value)];
  if (tips.length === 0) return null;
  return (
    <section class="overview-section" aria-labelledby="overview-tips">
      <div class="section-head">
        <h2 id="overview-tips">Tips</h2>
      </div>
      <ul class="tips">
        {tips.map((tip) => (
          <TipCard key={tip.id} tip={tip} onDone={() => void reload()} />
        ))}
      </ul>
    </section>
  );
}

function TipCard({ onDone, tip }: { readonly tip: Tip; readonly onDone: () => void }) {
  const isBusy = useSignal(false);
  const { index } = tip;
  const create = async (suggested: SuggestedIndex): Promise<void> => {
    isBusy.value = true;
    try {
      const { region, ...definition } = suggested;
      await call((client) => client.createIndex(region, { ...definition, kind: 'range' }));
      showToast(`Index ${suggested.name} was created.`);
      onDone();
    } catch (error) {
      showError(error);
    } finally {
      isBusy.value = false;
    }
  };
  return (
    <li class="card tip">
      <Icon name="tip" />
      <div class="tip-text">
        <h3>{tip.title}</h3>
        <p class="quiet">{tip.evidence}</p>
      </div>
      {index !== undefined && may(['CLUSTER', 'MANAGE']) && (
        <Button disabled={isBusy.value} onClick={() => void create(index)}>
          Create this index
        </Button>
      )}
    </li>
  );
}

async function findScanTips(client: GridClient, signal: AbortSignal): Promise<readonly Tip[]> {
  const explained = await explainQueries(client, signal);
  const tips = explained.flatMap(({ id, plan }) => scanTips(id, plan));
  return [...new Map(tips.map((tip) => [tip.index?.name ?? tip.id, tip])).values()];
}
