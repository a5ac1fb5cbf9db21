// Actions that empty or destroy a whole region: the user must type its name first.

import { useSignal } from '@preact/signals';
import { loadRegions } from '../api/regions.ts';
import { call, may } from '../api/session.ts';
import { Button } from '../design/button.tsx';
import { ConfirmDialog } from '../design/confirm-dialog.tsx';
import { printAmount } from '../design/print-numbers.ts';
import { showToast } from '../design/toasts.tsx';
import { navigate } from './router.ts';
import { useCommands } from './use-commands.ts';

interface RegionActionsProps {
  readonly region: string;
  readonly entryCount: number | undefined;
  /** Called after it was cleared: screens reload. */
  readonly onClear: () => void;
}

export function RegionActions({ entryCount, onClear, region }: RegionActionsProps) {
  const toConfirm = useSignal<'clear' | 'destroy' | undefined>(undefined);
  const mayClear = may(['DATA', 'WRITE', region]);
  const mayDestroy = may(['CLUSTER', 'MANAGE']);
  const ask = (action: 'clear' | 'destroy') => (): void => {
    toConfirm.value = action;
  };
  useCommands(
    [
      ...(mayClear
        ? [{ title: 'Clear the region', group: region, icon: 'trash', run: ask('clear') } as const]
        : []),
      ...(mayDestroy
        ? [
            {
              title: 'Destroy the region',
              group: region,
              icon: 'trash',
              run: ask('destroy'),
            } as const,
          ]
        : []),
    ],
    [region, mayClear, mayDestroy],
  );
  const clear = async (): Promise<void> => {
    await call((client) => client.region(region).clear());
    showToast(`Region ${region} was cleared.`);
    await loadRegions();
    onClear();
  };
  const destroy = async (): Promise<void> => {
    await call((client) => client.destroyRegion(region));
    showToast(`Region ${region} was destroyed.`);
    navigate({ screen: '' });
    await loadRegions();
  };
  const what =
    entryCount === undefined ? 'all entries' : printAmount(entryCount, 'entry', 'entries');
  return (
    <div class="region-actions">
      {mayClear && (
        <Button kind="quiet" size="small" onClick={ask('clear')}>
          Clear…
        </Button>
      )}
      {mayDestroy && (
        <Button kind="quiet" size="small" onClick={ask('destroy')}>
          Destroy…
        </Button>
      )}
      {toConfirm.value !== undefined && (
        <ConfirmDialog
          title={toConfirm.value === 'clear' ? `Clear ${region}?` : `Destroy ${region}?`}
          action={toConfirm.value === 'clear' ? 'Clear' : 'Destroy'}
          nameToType={region}
          onConfirm={toConfirm.value === 'clear' ? clear : destroy}
          onClose={() => {
            toConfirm.value = undefined;
          }}
        >
          <p>
            {toConfirm.value === 'clear'
              ? `This removes ${what} of region ${region}. The region and its indexes stay.`
              : `This removes ${what}, the indexes, and region ${region} itself.`}{' '}
            Only a backup can bring them back.
          </p>
        </ConfirmDialog>
      )}
    </div>
  );
}
