// The contents of the grid and the load of the service, with charts of the last minutes.

import { useSignal } from '@preact/signals';
import { loadRegions, regions } from '../../api/regions.ts';
import { useResource } from '../../api/resource.ts';
import { may } from '../../api/session.ts';
import { useCommands } from '../../app/use-commands.ts';
import { Button } from '../../design/button.tsx';
import { ErrorNotice } from '../../design/notice.tsx';
import { EmptyState } from '../../design/small-parts.tsx';
import { Charts } from './charts.tsx';
import { CreateRegionDialog } from './create-region-dialog.tsx';
import { READ_EVERY_MS, readFigures } from './history.ts';
import './overview.css';
import { RegionTable } from './region-table.tsx';
import { Tips } from './tips.tsx';

export function Overview() {
  const isCreating = useSignal(false);
  const mayCreate = may(['CLUSTER', 'MANAGE']);
  const isEmpty = regions.value?.length === 0;
  const open = (): void => {
    isCreating.value = true;
  };
  useCommands(
    mayCreate ? [{ title: 'Create a region', group: 'This screen', icon: 'plus', run: open }] : [],
    [mayCreate],
  );
  return (
    <div class="page">
      <header class="page-head">
        <h1>Overview</h1>
      </header>
      {isEmpty && <NoRegions onCreate={mayCreate ? open : undefined} />}
      {may(['CLUSTER', 'READ']) && <Measured />}
      {!isEmpty && (
        <section class="overview-section" aria-labelledby="overview-regions">
          <div class="section-head">
            <h2 id="overview-regions">Regions</h2>
            {mayCreate && (
              <Button icon="plus" onClick={open}>
                Create a region
              </Button>
            )}
          </div>
          <RegionTable />
        </section>
      )}
      {may(['CLUSTER', 'READ']) && <Tips />}
      {isCreating.value && (
        <CreateRegionDialog
          onClose={() => {
            isCreating.value = false;
          }}
        />
      )}
    </div>
  );
}

/** The part based on metrics. */
function Measured() {
  const { reload, state } = useResource(
    async (client, signal) => {
      await Promise.all([readFigures(client, signal), loadRegions()]);
      return true;
    },
    [],
    { everyMs: READ_EVERY_MS },
  );
  const { value } = state;
  if (value.kind === 'failed') {
    return (
      <ErrorNotice
        error={value.error}
        action={<Button onClick={() => void reload()}>Try again</Button>}
      />
    );
  }
  return <Charts />;
}

/** Above the charts, because it is the first thing to do. */
function NoRegions({ onCreate }: { readonly onCreate: (() => void) | undefined }) {
  if (onCreate === undefined) {
    return (
      <EmptyState icon="table" title="There are no regions to see">
        None was created yet, or your login may read none.
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon="table"
      title="There are no regions yet"
      action={
        <Button kind="primary" icon="plus" onClick={onCreate}>
          Create a region
        </Button>
      }
    >
      A region holds JSON documents by key. Create the first one, then add documents, import a file,
      or send them with the API.
    </EmptyState>
  );
}
