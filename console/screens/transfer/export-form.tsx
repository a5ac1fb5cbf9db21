// Selects the data to export, and shows the progress.

import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { Button } from '../../design/button.tsx';
import { Segments, Select } from '../../design/field.tsx';
import { ErrorNotice } from '../../design/notice.tsx';
import {
  printAmount,
  printBytes,
  printCount,
  printDuration,
  printRate,
} from '../../design/print-numbers.ts';
import { ProgressBar } from './progress-bar.tsx';
import type { FileForm } from './read-file.ts';
import {
  cancelExport,
  currentExport,
  type ExportProgress,
  type ExportState,
  startExport,
} from './run-export.ts';

type Source = 'region' | 'query';

const SOURCES: readonly { readonly value: Source; readonly title: string }[] = [
  { value: 'region', title: 'Region' },
  { value: 'query', title: 'Rows of a query' },
];

const FORMS: readonly { readonly value: FileForm; readonly title: string }[] = [
  { value: 'ndjson', title: 'NDJSON' },
  { value: 'array', title: 'JSON array' },
  { value: 'csv', title: 'CSV' },
];

const ENDINGS: Readonly<Record<FileForm, string>> = { ndjson: 'ndjson', array: 'json', csv: 'csv' };

interface ExportFormProps {
  readonly regions: readonly string[];
  /** Initial selection. */
  readonly region: string | undefined;
}

export function ExportForm({ region, regions }: ExportFormProps) {
  const kind = useSignal<Source>('region');
  const chosen = useSignal(region !== undefined && regions.includes(region) ? region : regions[0]);
  const oql = useSignal('');
  const form = useSignal<FileForm>('ndjson');
  const state = currentExport.value;
  const name = chosen.value ?? '';
  const isRegion = kind.value === 'region';
  // The entries of a region have no columns that all share.
  const forms = isRegion ? FORMS.filter(({ value }) => value !== 'csv') : FORMS;
  const start = (): void => {
    void startExport({
      source: isRegion ? { kind: 'region', region: name } : { kind: 'query', oql: oql.value },
      form: form.value,
      fileName: `${isRegion ? name : 'result'}.${ENDINGS[form.value]}`,
    });
  };
  return (
    <section class="card card-body transfer-form" aria-label="What to export">
      <div class="transfer-choice">
        <Segments
          label="What to export"
          value={kind.value}
          options={SOURCES}
          onChange={(value) => {
            kind.value = value;
            if (value === 'region' && form.value === 'csv') form.value = 'ndjson';
          }}
        />
        <Segments
          label="Form of the file"
          value={form.value}
          options={forms}
          onChange={(value) => {
            form.value = value;
          }}
        />
      </div>
      {isRegion ? (
        <>
          <div class="transfer-fields">
            <Select
              label="Region"
              value={name}
              options={regions.map((each) => ({ value: each, title: each }))}
              onChange={(value) => {
                chosen.value = value;
              }}
            />
          </div>
          <p class="quiet">
            Each entry is {'{"key": …, "value": …}'}, in key order, with its text as it is stored
            and, if it expires, the time as {'"expires"'}. An import takes it back.
          </p>
        </>
      ) : (
        <QueryText
          text={oql.value}
          onInput={(text) => {
            oql.value = text;
          }}
        />
      )}
      {state !== undefined && <Progress state={state} />}
      <div>
        {state?.kind === 'running' ? (
          <Button kind="danger" icon="stop" onClick={cancelExport}>
            Cancel
          </Button>
        ) : (
          <Button
            kind="primary"
            icon="download"
            disabled={isRegion ? name === '' : oql.value.trim() === ''}
            onClick={start}
          >
            {isRegion ? `Export ${name}` : 'Export the rows'}
          </Button>
        )}
      </div>
    </section>
  );
}

interface QueryTextProps {
  readonly text: string;
  readonly onInput: (text: string) => void;
}

function QueryText({ onInput, text }: QueryTextProps) {
  const id = useId();
  return (
    <div class="field">
      <label class="field-label" for={id}>
        Query
      </label>
      <textarea
        id={id}
        class="input mono transfer-query"
        rows={5}
        spellcheck={false}
        placeholder="SELECT o.id AS id, o.total AS total FROM /orders o"
        value={text}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
    </div>
  );
}

function Progress({ state }: { readonly state: ExportState }) {
  const { error, kind, progress, request } = state;
  if (kind === 'stopped') return <ErrorNotice error={error} />;
  if (kind === 'cancelled') return <p role="status">Cancelled. Nothing was saved.</p>;
  const { bytes, ms, rows, total } = progress;
  if (kind === 'done') {
    return (
      <p role="status">
        {`Saved ${request.fileName}: ${printAmount(rows, 'row', 'rows')}, `}
        {`${printBytes(bytes)} in ${printDuration(ms / 1000)}.`}
      </p>
    );
  }
  return (
    <ProgressBar
      label="Progress of the export"
      share={shareOf(progress)}
      figures={[
        total === undefined
          ? `${printCount(rows)} rows`
          : `${printCount(rows)} of ${printCount(total)} rows`,
        printBytes(bytes),
        ms > 0 ? `${printRate((rows * 1000) / ms)} rows/s` : undefined,
        timeLeft(progress),
      ]}
    />
  );
}

/** Entries may have been added since they were counted. */
function shareOf({ rows, total }: ExportProgress): number | undefined {
  if (total === undefined) return undefined;
  return total === 0 ? 1 : Math.min(1, rows / total);
}

function timeLeft(progress: ExportProgress): string | undefined {
  const share = shareOf(progress);
  if (share === undefined || share === 0) return undefined;
  return `${printDuration(Math.ceil((progress.ms * (1 - share)) / share / 1000))} left`;
}
