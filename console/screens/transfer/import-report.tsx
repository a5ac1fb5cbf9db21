// A running import, and its result.

import { hrefOf } from '../../app/router.ts';
import { Button, LinkButton } from '../../design/button.tsx';
import { ErrorNotice, Notice } from '../../design/notice.tsx';
import { printBytes, printCount, printDuration, printRate } from '../../design/print-numbers.ts';
import { showHidden } from '../../json/json-text.ts';
import { ProgressBar } from './progress-bar.tsx';
import {
  cancelImport,
  currentImport,
  type ImportProgress,
  type ImportState,
  startImport,
} from './run-import.ts';

const TITLES: Readonly<Record<ImportState['kind'], string>> = {
  running: 'Importing',
  done: 'Imported',
  cancelled: 'Cancelled',
  stopped: 'Stopped',
};

export function ImportReport({ state }: { readonly state: ImportState }) {
  const { kind, progress, request } = state;
  return (
    <section class="card card-body transfer-form" aria-label="Import">
      <header class="transfer-file">
        <h2>{`${TITLES[kind]}: ${request.file.name} into ${request.region}`}</h2>
      </header>
      {kind === 'running' ? (
        <Running progress={progress} size={request.file.size} />
      ) : (
        <Ended state={state} />
      )}
      <Failures progress={progress} form={request.form} />
    </section>
  );
}

function Running({ progress, size }: { readonly progress: ImportProgress; readonly size: number }) {
  const { bytes, ms } = progress;
  const rows = rowsOf(progress);
  const leftMs = bytes === 0 ? undefined : (ms * (size - bytes)) / bytes;
  return (
    <>
      <ProgressBar
        label="Progress of the import"
        share={size === 0 ? 1 : bytes / size}
        figures={[
          `${printCount(rows)} rows`,
          `${printBytes(bytes)} of ${printBytes(size)}`,
          ms > 0 ? `${printRate((rows * 1000) / ms)} rows/s` : undefined,
          leftMs === undefined ? undefined : `${printDuration(Math.ceil(leftMs / 1000))} left`,
        ]}
      />
      <div>
        <Button kind="danger" icon="stop" onClick={cancelImport}>
          Cancel
        </Button>
      </div>
    </>
  );
}

function Ended({ state }: { readonly state: ImportState }) {
  const { error, kind, progress, request } = state;
  const { expired, failed, ms, rowNumber, skipped, succeeded } = progress;
  const perSecond = ms > 0 ? (rowsOf(progress) * 1000) / ms : 0;
  return (
    <>
      <div role="status">
        <dl class="transfer-outcome">
          <Outcome name="succeeded" count={succeeded} />
          {request.existing === 'skip' && <Outcome name="existed already" count={skipped} />}
          {expired > 0 && <Outcome name="had expired" count={expired} />}
          <Outcome name="failed" count={failed} />
        </dl>
      </div>
      <p class="quiet">
        {`${printDuration(ms / 1000)}, ${printRate(perSecond)} rows/s. `}
        {kind === 'cancelled' &&
          'Rows already written stay. Rows that were being sent may have been written too.'}
      </p>
      {kind === 'stopped' && (
        <>
          <ErrorNotice error={error} />
          <Notice kind="warning">
            {`All rows up to ${printCount(rowNumber)} are done. Some later rows may have been written too.`}
          </Notice>
        </>
      )}
      <div class="transfer-actions">
        {kind !== 'done' && (
          <Button kind="primary" icon="play" onClick={() => void startImport(request, progress)}>
            {`Continue after row ${printCount(rowNumber)}`}
          </Button>
        )}
        <LinkButton
          icon="table"
          kind={kind === 'done' ? 'primary' : 'plain'}
          href={hrefOf({ screen: 'entries', region: request.region })}
        >
          {`See the entries of ${request.region}`}
        </LinkButton>
        <Button
          onClick={() => {
            currentImport.value = undefined;
          }}
        >
          Import something else
        </Button>
      </div>
    </>
  );
}

function Outcome({ count, name }: { readonly name: string; readonly count: number }) {
  return (
    <div>
      <dt class="quiet">{name}</dt>
      <dd class="figure-value">{printCount(count)}</dd>
    </div>
  );
}

interface FailuresProps {
  readonly progress: ImportProgress;
  readonly form: ImportState['request']['form'];
}

function Failures({ form, progress: { failed, failures } }: FailuresProps) {
  if (failures.length === 0) return null;
  return (
    <section class="transfer-failures" aria-label="Rows that failed">
      <h3>
        {failed > failures.length
          ? `The first ${printCount(failures.length)} rows that failed`
          : 'Rows that failed'}
      </h3>
      <div class="table-frame">
        <table class="table">
          <thead>
            <tr>
              <th class="number">{form === 'ndjson' ? 'Line' : 'Row'}</th>
              <th>Key</th>
              <th>Reason</th>
            </tr>
          </thead>
          <tbody>
            {failures.map(({ key, rowNumber, reason }) => (
              <tr key={rowNumber}>
                <td class="number">{printCount(rowNumber)}</td>
                <td class="mono transfer-key">{showHidden(key ?? '')}</td>
                <td>{showHidden(reason)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function rowsOf({ expired, failed, skipped, succeeded }: ImportProgress): number {
  return succeeded + skipped + expired + failed;
}
