// Edits a value in steps: the text, a review of the differences, the save; after a conflict, both
// changes side by side.

import { useSignal } from '@preact/signals';
import type { ComponentChildren, ComponentType } from 'preact';
import { type Entry, texts, VersionDiffersError } from '../../../src/client/index.ts';
import { call } from '../../api/session.ts';
import { findEdit, forgetEdit, mayDiscardEdit, storeEdit } from '../../app/unsaved-edit.ts';
import { Button } from '../../design/button.tsx';
import { ErrorNotice, Notice } from '../../design/notice.tsx';
import { printCount } from '../../design/print-numbers.ts';
import { showToast } from '../../design/toasts.tsx';
import { indentJson, showHidden } from '../../json/json-text.ts';
import { mergeJson } from '../../json/merge-json.ts';
import { type JsonTools, useJsonTools } from './use-json-tools.ts';

type Step =
  | { readonly kind: 'edit' }
  | { readonly kind: 'review' }
  /** `theirs`: undefined when the entry was deleted meanwhile. */
  | { readonly kind: 'conflict'; readonly theirs: Entry<string> | undefined };

interface EntryEditorProps {
  readonly region: string;
  readonly entry: Entry<string>;
  readonly onDone: () => void;
}

export function EntryEditor({ entry, onDone, region }: EntryEditorProps) {
  const { base, isChanged, setText, text } = useEdit(region, entry);
  const step = useSignal<Step>({ kind: 'edit' });
  const failure = useSignal<unknown>(undefined);
  const { failure: missing, tools } = useJsonTools();
  const finish = (): void => {
    forgetEdit(region, entry.key);
    onDone();
  };
  const cancel = async (): Promise<void> => {
    if (await mayDiscardEdit()) onDone();
  };
  const save = async (): Promise<void> => {
    failure.value = undefined;
    const entries = (client: Parameters<Parameters<typeof call>[0]>[0]) =>
      client.region(region, texts);
    const { expires, key, version } = base.value;
    const ttl = expires && secondsUntil(expires);
    try {
      await call((client) => entries(client).put(key, text.value, { ifVersion: version, ttl }));
      showToast(`${showHidden(key)} was saved.`);
      finish();
    } catch (error) {
      if (!(error instanceof VersionDiffersError)) failure.value = error;
      else step.value = { kind: 'conflict', theirs: await call((c) => entries(c).get(key)) };
    }
  };
  const problem = failure.value ?? missing;
  return (
    <div class="entry-editor">
      {problem !== undefined && (
        <div class="entries-note">
          <ErrorNotice error={problem} />
        </div>
      )}
      {tools !== undefined && step.value.kind === 'edit' && (
        <EditStep
          Editor={tools.JsonEditor}
          base={base.value}
          text={text.value}
          isChanged={isChanged}
          onText={setText}
          onCancel={() => void cancel()}
          onReview={() => (step.value = { kind: 'review' })}
        />
      )}
      {tools !== undefined && step.value.kind === 'review' && (
        <ReviewStep
          Diff={tools.JsonDiff}
          base={base.value}
          text={text.value}
          onBack={() => (step.value = { kind: 'edit' })}
          onSave={() => void save()}
        />
      )}
      {tools !== undefined && step.value.kind === 'conflict' && (
        <ConflictStep
          Diff={tools.JsonDiff}
          base={base.value}
          theirs={step.value.theirs}
          text={text.value}
          onClose={() => void cancel()}
          onDiscard={finish}
          onMerge={(theirs, merged) => {
            base.value = theirs;
            setText(merged);
            step.value = { kind: 'edit' };
          }}
        />
      )}
    </div>
  );
}

/** The edited text. It continues an unsaved edit, as after an expired login. */
function useEdit(region: string, entry: Entry<string>) {
  const unsaved = findEdit(region, entry.key);
  /** The version that the text began with. */
  const base = useSignal(unsaved?.base ?? entry);
  const text = useSignal(unsaved?.text ?? indentJson(entry.value));
  const setText = (value: string): void => {
    storeEdit({ region, base: base.value, text: value });
    text.value = value;
  };
  return { base, text, setText, isChanged: unsaved !== undefined };
}

interface EditStepProps {
  readonly Editor: JsonTools['JsonEditor'];
  readonly base: Entry<string>;
  readonly text: string;
  readonly isChanged: boolean;
  readonly onText: (text: string) => void;
  readonly onCancel: () => void;
  readonly onReview: () => void;
}

function EditStep(props: EditStepProps) {
  const { base, Editor, isChanged, onCancel, onReview, onText, text } = props;
  const problem = findProblem(text);
  return (
    <>
      <div class="editor-frame">
        <Editor
          label={`Value of ${base.key}`}
          text={text}
          document={base}
          hasFocus
          onChange={onText}
        />
      </div>
      <footer class="editor-foot">
        <span class={problem === undefined ? 'quiet' : 'field-error'} role="status">
          {problem ?? (isChanged ? 'Changed' : 'Not changed')}
        </span>
        <Button onClick={onCancel}>Cancel</Button>
        <Button kind="primary" disabled={!isChanged || problem !== undefined} onClick={onReview}>
          Review the change
        </Button>
      </footer>
    </>
  );
}

type Diff = ComponentType<{
  readonly label: string;
  readonly before: string;
  readonly after: string;
}>;

interface ReviewStepProps {
  readonly Diff: Diff;
  readonly base: Entry<string>;
  readonly text: string;
  readonly onBack: () => void;
  readonly onSave: () => void;
}

function ReviewStep({ base, Diff, onBack, onSave, text }: ReviewStepProps) {
  return (
    <>
      <div class="editor-frame">
        <Diff label="What changes" before={indentJson(base.value)} after={text} />
      </div>
      <footer class="editor-foot">
        <span class="quiet">
          Saved only if version {printCount(base.version)} is still the current one.
        </span>
        <Button onClick={onBack}>Continue editing</Button>
        <Button kind="primary" onClick={onSave}>
          Save
        </Button>
      </footer>
    </>
  );
}

interface ConflictStepProps {
  readonly Diff: Diff;
  readonly base: Entry<string>;
  readonly theirs: Entry<string> | undefined;
  readonly text: string;
  readonly onClose: () => void;
  readonly onDiscard: () => void;
  readonly onMerge: (theirs: Entry<string>, text: string) => void;
}

function ConflictStep(props: ConflictStepProps) {
  const { base, Diff, onClose, onDiscard, onMerge, text, theirs } = props;
  if (theirs === undefined) {
    return (
      <div class="entries-note">
        <Notice kind="warning" action={<Button onClick={onClose}>Close</Button>}>
          <p>The entry was deleted while you edited it. To keep your text, create it again:</p>
          <pre class="json-text">{showHidden(text)}</pre>
        </Notice>
      </div>
    );
  }
  const { conflicts, text: merged } = mergeJson(base.value, theirs.value, text);
  const before = indentJson(base.value);
  return (
    <>
      <div class="entries-note">
        <Notice kind="warning">
          <p>
            Somebody saved version {printCount(theirs.version)} while you edited version{' '}
            {printCount(base.version)}. Nothing was overwritten.
          </p>
          <p>
            {conflicts.length === 0
              ? 'The two changes affect different members and can be merged.'
              : `Both changed ${conflicts.join(', ')}: yours is taken there unless you edit it.`}
          </p>
        </Notice>
      </div>
      <div class="conflict">
        <ConflictSide title="Their change">
          <Diff label="Their change" before={before} after={indentJson(theirs.value)} />
        </ConflictSide>
        <ConflictSide title="Your change">
          <Diff label="Your change" before={before} after={text} />
        </ConflictSide>
      </div>
      <footer class="editor-foot">
        <Button onClick={onDiscard}>Discard yours</Button>
        <Button kind="primary" onClick={() => onMerge(theirs, indentJson(merged))}>
          Edit both together
        </Button>
      </footer>
    </>
  );
}

interface ConflictSideProps {
  readonly title: string;
  readonly children: ComponentChildren;
}

function ConflictSide({ children, title }: ConflictSideProps) {
  return (
    <section class="conflict-side" aria-label={title}>
      <h3>{title}</h3>
      <div class="editor-frame">{children}</div>
    </section>
  );
}

/** The ttl that keeps the expiry; a write without one would remove it. */
export function secondsUntil(expires: Date): number {
  return Math.max(1, Math.round((expires.getTime() - Date.now()) / 1000));
}

/** Undefined when the text is JSON. */
export function findProblem(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
