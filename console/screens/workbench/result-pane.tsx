// The outcome of a query: rows in three forms, a plan, or an error.

import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import './result.css';
import type { Plan } from '../../../src/client/index.ts';
import { Button } from '../../design/button.tsx';
import { Segments } from '../../design/field.tsx';
import { ErrorNotice } from '../../design/notice.tsx';
import { printAmount, printCount, printDuration } from '../../design/print-numbers.ts';
import { Badge, EmptyState } from '../../design/small-parts.tsx';
import { CodeBlock } from './code-block.tsx';
import { download } from './download.ts';
import { FirstQueries } from './first-queries.tsx';
import { PlanView } from './plan-view.tsx';
import { ResultChart } from './result-chart.tsx';
import { toTable } from './result-rows.ts';
import { ResultTableView } from './result-table.tsx';
import { type LiveResult, MAX_ROWS, type RowsResult, type RunMode, runOf } from './run-query.ts';

interface ResultPaneProps {
  /** The id of the run. */
  readonly run: string;
  readonly onRunAgain: (mode: RunMode, before: Plan) => void;
}

export function ResultPane({ onRunAgain, run }: ResultPaneProps) {
  const state = runOf(run);
  return (
    <section
      class="result"
      aria-label="Result"
      // Screen readers should not announce values that change all the time.
      aria-live={state.kind === 'live' ? 'off' : 'polite'}
      aria-busy={state.kind === 'running'}
    >
      {state.kind === 'idle' && <FirstQueries />}
      {state.kind === 'running' && (
        <p class="result-note">
          Running… {state.rows > 0 && `${printCount(state.rows)} rows so far`}
        </p>
      )}
      {state.kind === 'cancelled' && <p class="result-note">Cancelled.</p>}
      {state.kind === 'failed' && <ErrorNotice error={state.error} />}
      {state.kind === 'plan' && <PlanView result={state} onRunAgain={onRunAgain} />}
      {state.kind === 'rows' && (
        <Rows run={run} result={state} note={` in ${printDuration(state.ms / 1000)}`} />
      )}
      {state.kind === 'live' && (
        <Rows run={run} result={state} note={<LiveNote result={state} />} />
      )}
    </section>
  );
}

type Form = 'table' | 'json' | 'chart';

const FORMS: readonly { readonly value: Form; readonly title: string }[] = [
  { value: 'table', title: 'Table' },
  { value: 'json', title: 'JSON' },
  { value: 'chart', title: 'Chart' },
];

/** JSON of more rows than this is not put on the page. */
const MAX_JSON_ROWS = 1000;

/** By the id of the run: the next result of a query is shown in the form of the last one. */
const forms = signal<ReadonlyMap<string, Form>>(new Map());

interface RowsProps {
  readonly run: string;
  readonly result: RowsResult | LiveResult;
  /** Shown after the number of rows. */
  readonly note: ComponentChildren;
}

function Rows({ note, result, run }: RowsProps) {
  const form = forms.value.get(run) ?? 'table';
  const { isCut, rows } = result;
  const fresh = result.kind === 'live' ? result.fresh : undefined;
  const table = useMemo(() => toTable(rows), [rows]);
  return (
    <>
      <header class="result-head">
        <p class="result-count">
          <strong>{printCount(rows.length)}</strong> {rows.length === 1 ? 'row' : 'rows'}
          {note}
          {isCut && `; only the first ${printCount(MAX_ROWS)} are shown`}
        </p>
        <span class="workbench-space" />
        <Segments
          label="Form of the result"
          value={form}
          options={FORMS}
          onChange={(next) => {
            forms.value = new Map(forms.value).set(run, next);
          }}
        />
        <div class="buttons">
          <Button kind="quiet" icon="download" onClick={() => download(table, rows, 'csv')}>
            CSV
          </Button>
          <Button kind="quiet" icon="download" onClick={() => download(table, rows, 'ndjson')}>
            NDJSON
          </Button>
        </div>
      </header>
      {rows.length === 0 ? (
        <EmptyState icon="search" title="No rows">
          {result.kind === 'live'
            ? 'Nothing meets the conditions now. Rows appear as soon as something does.'
            : 'The query ran, and nothing met its conditions.'}
        </EmptyState>
      ) : (
        <>
          {form === 'table' && <ResultTableView key={run} table={table} fresh={fresh} />}
          {form === 'json' && <JsonRows rows={rows} />}
          {form === 'chart' && <ResultChart key={run} table={table} />}
        </>
      )}
    </>
  );
}

function JsonRows({ rows }: { readonly rows: readonly string[] }) {
  return (
    <>
      {rows.length > MAX_JSON_ROWS && (
        <p class="result-note">
          {`The first ${printCount(MAX_JSON_ROWS)} rows; NDJSON saves all of them.`}
        </p>
      )}
      <CodeBlock fills text={rows.slice(0, MAX_JSON_ROWS).join('\n')} />
    </>
  );
}

function LiveNote({ result }: { readonly result: LiveResult }) {
  const { changes, isStopped } = result;
  return (
    <>
      {`, ${printAmount(changes, 'change', 'changes')} `}
      <Badge kind={isStopped ? 'plain' : 'ok'}>{isStopped ? 'stopped' : 'live'}</Badge>
    </>
  );
}
