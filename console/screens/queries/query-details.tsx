// One named query: its text, a form for its parameters, and its result.

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { NamedQuery } from '../../../src/client/index.ts';
import { call, may } from '../../api/session.ts';
import { hrefOf } from '../../app/router.ts';
import { Button, LinkButton } from '../../design/button.tsx';
import { ConfirmDialog } from '../../design/confirm-dialog.tsx';
import { showToast } from '../../design/toasts.tsx';
import { CodeBlock } from '../workbench/code-block.tsx';
import { followQuery, stopFollowing } from '../workbench/follow-query.ts';
import { ParameterForm } from '../workbench/parameter-form.tsx';
import { findMissing, type TypedValue, toParameters } from '../workbench/parameters.ts';
import { findPlaceholders } from '../workbench/placeholders.ts';
import { ResultPane } from '../workbench/result-pane.tsx';
import { RunButtons } from '../workbench/run-buttons.tsx';
import { type RunMode, runOf, runQuery } from '../workbench/run-query.ts';
import '../workbench/workbench.css';

interface QueryDetailsProps {
  readonly query: NamedQuery;
  readonly onRemoved: () => void;
}

export function QueryDetails({ onRemoved, query: { id, oql } }: QueryDetailsProps) {
  const values = useSignal<Readonly<Record<string, TypedValue>>>({});
  const isRemoving = useSignal(false);
  const placeholders = findPlaceholders(oql);
  const runId = `named ${id}`;
  const state = runOf(runId);
  const missing = findMissing(placeholders, values.value);
  const request = () => ({
    text: oql,
    queryId: id,
    parameters: toParameters(placeholders, values.value),
  });
  const run = (mode: RunMode): void => {
    stopFollowing(runId);
    void runQuery(runId, { ...request(), mode });
  };
  useEffect(() => () => stopFollowing(runId), [runId]);
  return (
    <section class="query-details" aria-label={id}>
      <h2>{id}</h2>
      <CodeBlock text={oql} />
      <ParameterForm
        placeholders={placeholders}
        values={values.value}
        onChange={(next) => {
          values.value = next;
        }}
      />
      <div class="query-details-tools">
        <RunButtons
          run={runId}
          isReady={missing.length === 0}
          onRun={() => run('rows')}
          onFollow={() => void followQuery(runId, request())}
        />
        <LinkButton
          icon="edit"
          href={hrefOf({ screen: 'workbench', parameters: { q: oql, saved: id } })}
        >
          {may(['QUERY', 'MANAGE']) ? 'Edit' : 'Open in the workbench'}
        </LinkButton>
        {may(['QUERY', 'MANAGE']) && (
          <Button
            kind="quiet"
            icon="trash"
            onClick={() => {
              isRemoving.value = true;
            }}
          >
            Delete
          </Button>
        )}
        {missing.length > 0 && <span class="workbench-hint">Needs {missing.join(', ')}</span>}
      </div>
      {state.kind !== 'idle' && <ResultPane run={runId} onRunAgain={run} />}
      {isRemoving.value && (
        <ConfirmDialog
          title={`Delete ${id}`}
          action="Delete the query"
          onConfirm={async () => {
            await call(({ queries }) => queries.remove(id));
            showToast(`Deleted ${id}`);
            onRemoved();
          }}
          onClose={() => {
            isRemoving.value = false;
          }}
        >
          The named query {id} is deleted. Clients that call it get an error from then on.
        </ConfirmDialog>
      )}
    </section>
  );
}
