// An editor for JSON text, and a view of the differences of two texts. The text is stored exactly
// as typed.

import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { json, jsonParseLinter } from '@codemirror/lang-json';
import { bracketMatching, foldGutter, indentOnInput, indentUnit } from '@codemirror/language';
import { linter } from '@codemirror/lint';
import { unifiedMergeView } from '@codemirror/merge';
import { EditorState, type Extension } from '@codemirror/state';
import { drawSelection, EditorView, keymap, lineNumbers } from '@codemirror/view';
import { useMemo } from 'preact/hooks';
import { CodeEditor } from '../../editor/code-editor.tsx';
import { highlighting } from '../../editor/highlight.ts';

const EDITING: Extension = [
  lineNumbers(),
  foldGutter(),
  history(),
  drawSelection(),
  indentOnInput(),
  indentUnit.of('  '),
  bracketMatching(),
  json(),
  linter(jsonParseLinter()),
  highlighting,
  // Escape, then Tab leaves the editor by keyboard.
  keymap.of([...defaultKeymap, ...historyKeymap, indentWithTab]),
  EditorView.lineWrapping,
];

interface JsonEditorProps {
  readonly label: string;
  readonly text: string;
  /** Changes when another document is edited. */
  readonly document: unknown;
  readonly hasFocus?: boolean;
  readonly onChange: (text: string) => void;
}

export function JsonEditor({ document, hasFocus, label, onChange, text }: JsonEditorProps) {
  return (
    <CodeEditor
      label={label}
      text={text}
      document={document}
      extensions={EDITING}
      {...(hasFocus === undefined ? {} : { hasFocus })}
      onChange={onChange}
    />
  );
}

interface JsonDiffProps {
  readonly label: string;
  readonly before: string;
  readonly after: string;
}

/** The new text, with the replaced lines above each change. */
export function JsonDiff({ after, before, label }: JsonDiffProps) {
  const extensions = useMemo(
    (): Extension => [
      lineNumbers(),
      json(),
      highlighting,
      EditorState.readOnly.of(true),
      EditorView.lineWrapping,
      unifiedMergeView({
        original: before,
        mergeControls: false,
        highlightChanges: true,
        gutter: true,
        collapseUnchanged: { margin: 3, minSize: 6 },
      }),
      diffTheme,
    ],
    [before],
  );
  return (
    <CodeEditor
      label={label}
      text={after}
      document={after}
      extensions={extensions}
      onChange={() => undefined}
    />
  );
}

const diffTheme = EditorView.theme({
  '.cm-changedLine, .cm-insertedLine': { backgroundColor: 'var(--added) !important' },
  '.cm-deletedChunk': { backgroundColor: 'var(--removed) !important' },
  '.cm-changedText': { background: 'none !important', fontWeight: '700' },
  '.cm-deletedText': { background: 'none !important', fontWeight: '700' },
  '.cm-collapsedLines::before, .cm-collapsedLines::after': { content: '""' },
  '.cm-collapsedLines': {
    background: 'var(--sunken) !important',
    color: 'var(--ink-2) !important',
    padding: '2px var(--space-3)',
  },
});
