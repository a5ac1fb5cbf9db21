// Import / export: a file into a region, a region or the rows of a query into a file.

import './transfer.css';
import { regions } from '../../api/regions.ts';
import { may, mayBegin } from '../../api/session.ts';
import { isReadOnly } from '../../app/preferences.ts';
import type { ScreenProps } from '../../app/router.ts';
import { hrefOf, replaceRoute } from '../../app/router.ts';
import { LinkButton } from '../../design/button.tsx';
import { Segments } from '../../design/field.tsx';
import { EmptyState } from '../../design/small-parts.tsx';
import { ExportForm } from './export-form.tsx';
import { ImportForm } from './import-form.tsx';

type Direction = 'import' | 'export';

const DIRECTIONS: readonly { readonly value: Direction; readonly title: string }[] = [
  { value: 'import', title: 'Import' },
  { value: 'export', title: 'Export' },
];

export function Transfer({ parameters }: ScreenProps) {
  const names = (regions.value ?? []).map(({ name }) => name);
  const writable = names.filter((name) => may(['DATA', 'WRITE', name]));
  const readable = names.filter((name) => mayBegin(['DATA', 'READ', name]));
  const direction = parameters.get('do') === 'export' ? 'export' : 'import';
  const region = parameters.get('region') ?? undefined;
  return (
    <div class="page transfer">
      <header class="page-head">
        <h1>Import / export</h1>
      </header>
      <div>
        <Segments
          label="Direction"
          value={direction}
          options={DIRECTIONS}
          onChange={(next) =>
            replaceRoute({
              screen: 'transfer',
              parameters: { do: next, ...(region === undefined ? {} : { region }) },
            })
          }
        />
      </div>
      {regions.value !== undefined && direction === 'import' && (
        <Import regions={writable} region={region} />
      )}
      {regions.value !== undefined && direction === 'export' && (
        <Export regions={readable} region={region} />
      )}
    </div>
  );
}

interface TransferProps {
  readonly regions: readonly string[];
  readonly region: string | undefined;
}

function Export({ region, regions }: TransferProps) {
  if (regions.length > 0) return <ExportForm regions={regions} region={region} />;
  return (
    <EmptyState icon="table" title="There is no region to export">
      None was created yet, or your login may read none.
    </EmptyState>
  );
}

function Import({ region, regions }: TransferProps) {
  if (regions.length > 0) return <ImportForm regions={regions} region={region} />;
  if (isReadOnly.value) {
    return (
      <EmptyState icon="lock" title="The console is read-only">
        Switch that off to import.
      </EmptyState>
    );
  }
  return may(['CLUSTER', 'MANAGE']) ? (
    <EmptyState
      icon="table"
      title="There is no region to import into"
      action={<LinkButton href={hrefOf({ screen: 'overview' })}>Create a region first</LinkButton>}
    >
      A file goes into a region, one entry for each of its rows.
    </EmptyState>
  ) : (
    <EmptyState icon="lock" title="There is no region to import into">
      None was created yet, or your login may write to none.
    </EmptyState>
  );
}
