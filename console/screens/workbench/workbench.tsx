// The query workbench: write a query, run it, see its rows as a table, as JSON or as a
// chart, and its plan. The address of the page holds the query, so that it can be shared.

import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import './workbench.css';
import type { Plan } from '../../../src/client/index.ts';
import { may } from '../../api/session.ts';
import type { ScreenProps } from '../../app/router.ts';
import { replaceRoute } from '../../app/router.ts';
import { useCommands } from '../../app/use-commands.ts';
import { Button } from '../../design/button.tsx';
import { MODIFIER_KEY } from '../../design/modifier-key.ts';
import { Skeleton } from '../../design/small-parts.tsx';
import { CopyMenu } from './copy-menu.tsx';
import { followQuery, stopFollowing, stopOthers } from './follow-query.ts';
import { HistoryDialog } from './history-dialog.tsx';
import type { OqlEditor as OqlEditorComponent } from './oql-editor.tsx';
import { ParameterForm } from './parameter-form.tsx';
import { findMissing, toParameters } from './parameters.ts';
import { findPlaceholders } from './placeholders.ts';
import { ResultPane } from './result-pane.tsx';
import { RunButtons } from './run-buttons.tsx';
import { type RunMode, runOf, runQuery } from './run-query.ts';
import { SaveDialog } from './save-dialog.tsx';
import { TabBar } from './tab-bar.tsx';
import { changeTab, currentTab, openQuery, tabs } from './tabs.ts';

export function Workbench({ parameters }: ScreenProps) {
  const linkedText = parameters.get('q');
  useEffect(() => {
    if (linkedText !== null && linkedText !== currentTab().text) {
      openQuery(linkedText, { savedAs: parameters.get('saved') ?? undefined });
    }
  }, [linkedText]);
  const open = tabs.value.list;
  useEffect(() => stopOthers(open.map(({ id }) => id)), [open]);
  useEffect(() => () => stopOthers([]), []);
  const dialog = useSignal<'save' | 'history' | undefined>(undefined);
  const tab = currentTab();
  useCommands(
    [
      { title: 'Run the query', group: 'This screen', icon: 'play', run: () => void run('rows') },
      {
        title: 'Follow the query',
        group: 'This screen',
        icon: 'live',
        run: () => void run('live'),
      },
      { title: 'Explain', group: 'This screen', icon: 'tree', run: () => void run('explain') },
      { title: 'Analyze', group: 'This screen', icon: 'tree', run: () => void run('analyze') },
    ],
    [],
  );
  return (
    <div class="workbench">
      <h1 class="visually-hidden">Query workbench</h1>
      <TabBar />
      <section class="workbench-query" aria-label="Query">
        <Editor />
        <ParameterForm
          placeholders={findPlaceholders(tab.text)}
          values={tab.values}
          onChange={(values) => changeTab({ values })}
        />
        <Toolbar
          onSave={() => {
            dialog.value = 'save';
          }}
          onHistory={() => {
            dialog.value = 'history';
          }}
        />
      </section>
      <ResultPane run={tab.id} onRunAgain={(mode, before) => void run(mode, before)} />
      {dialog.value === 'save' && <SaveDialog tab={tab} onClose={close} />}
      {dialog.value === 'history' && <HistoryDialog onClose={close} />}
    </div>
  );
  function close(): void {
    dialog.value = undefined;
  }
}

/** The current text: an editor may be ahead of the last render. */
async function run(mode: RunMode | 'live', before?: Plan): Promise<void> {
  const { id, savedAs, text, values } = currentTab();
  const placeholders = findPlaceholders(text);
  const isComplete = findMissing(placeholders, values).length === 0;
  if (text.trim() === '' || (!isComplete && mode !== 'explain')) return;
  if (runOf(id).kind === 'running') return;
  stopFollowing(id);
  replaceRoute({
    screen: 'workbench',
    parameters: { q: text, ...(savedAs === undefined ? {} : { saved: savedAs }) },
  });
  const parameters = isComplete ? toParameters(placeholders, values) : [];
  if (mode === 'live') await followQuery(id, { text, parameters });
  else await runQuery(id, { text, parameters, mode, before });
}

/** Loads the editor on demand, because it is large. */
function Editor() {
  const loaded = useSignal<ComponentType<Parameters<typeof OqlEditorComponent>[0]> | undefined>(
    undefined,
  );
  useEffect(() => {
    void import('./oql-editor.tsx').then(({ OqlEditor }) => {
      loaded.value = OqlEditor;
    });
  }, []);
  const tab = currentTab();
  const OqlEditor = loaded.value;
  return (
    <div class="workbench-editor">
      {OqlEditor === undefined ? (
        <Skeleton width="60%" />
      ) : (
        <OqlEditor
          text={tab.text}
          document={tab.id}
          onChange={(text) => changeTab({ text })}
          onRun={() => void run('rows')}
        />
      )}
    </div>
  );
}

interface ToolbarProps {
  readonly onSave: () => void;
  readonly onHistory: () => void;
}

function Toolbar({ onHistory, onSave }: ToolbarProps) {
  const tab = currentTab();
  const isEmpty = tab.text.trim() === '';
  const missing = findMissing(findPlaceholders(tab.text), tab.values);
  const isIncomplete = missing.length > 0;
  return (
    <div class="workbench-tools" role="toolbar" aria-label="Query actions">
      <RunButtons
        run={tab.id}
        isReady={!isEmpty && !isIncomplete}
        onRun={() => void run('rows')}
        onFollow={() => void run('live')}
      />
      <Button disabled={isEmpty} onClick={() => void run('explain')}>
        Explain
      </Button>
      <Button disabled={isEmpty || isIncomplete} onClick={() => void run('analyze')}>
        Analyze
      </Button>
      {missing.length === 0 ? (
        <span class="workbench-hint workbench-shortcut">{MODIFIER_KEY}+Enter runs it</span>
      ) : (
        <span class="workbench-hint">Needs {missing.join(', ')}</span>
      )}
      <span class="workbench-space" />
      <div class="buttons">
        <Button kind="quiet" icon="history" onClick={onHistory}>
          History
        </Button>
        <CopyMenu tab={tab} />
        {may(['QUERY', 'MANAGE']) && (
          <Button kind="quiet" icon="named" disabled={isEmpty} onClick={onSave}>
            Save
          </Button>
        )}
      </div>
    </div>
  );
}
