// The query editor, a separate chunk that is loaded with the workbench.

import { closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { bracketMatching } from '@codemirror/language';
import { type Diagnostic, linter, lintKeymap } from '@codemirror/lint';
import type { Extension } from '@codemirror/state';
import { EditorView, keymap, lineNumbers, placeholder } from '@codemirror/view';
import { useMemo } from 'preact/hooks';
import { RefusedError } from '../../../src/client/index.ts';
import { regions } from '../../api/regions.ts';
import { call } from '../../api/session.ts';
import { CodeEditor } from '../../editor/code-editor.tsx';
import { highlighting } from '../../editor/highlight.ts';
import { learnFields } from './learn-fields.ts';
import { oql } from './oql-language.ts';

interface OqlEditorProps {
  readonly text: string;
  /** Changes when another query is shown. */
  readonly document: string;
  readonly onChange: (text: string) => void;
  readonly onRun: () => void;
}

export function OqlEditor({ document, onChange, onRun, text }: OqlEditorProps) {
  const extensions = useMemo(() => createExtensions(onRun), []);
  return (
    <CodeEditor
      label="Query"
      text={text}
      document={document}
      extensions={extensions}
      onChange={onChange}
    />
  );
}

function createExtensions(onRun: () => void): Extension {
  return [
    lineNumbers(),
    history(),
    bracketMatching(),
    closeBrackets(),
    EditorView.lineWrapping,
    placeholder('SELECT … FROM /region r WHERE …'),
    highlighting,
    oql({ regions: () => (regions.value ?? []).map(({ name }) => name), fields: learnFields }),
    linter(({ state }) => check(state.doc.toString()), { delay: 500 }),
    keymap.of([
      {
        key: 'Mod-Enter',
        run: () => {
          onRun();
          return true;
        },
      },
      ...closeBracketsKeymap,
      ...defaultKeymap,
      ...historyKeymap,
      ...completionKeymap,
      ...lintKeymap,
    ]),
  ];
}

/** Missing parameters are not reported. */
const NOT_MISTAKES: ReadonlySet<string> = new Set(['oql/parameter-count', 'oql/parameter-type']);

/** The service's diagnosis of the text: its error, or its warnings. */
async function check(text: string): Promise<readonly Diagnostic[]> {
  if (text.trim() === '') return [];
  try {
    const { warnings } = await call((client) => client.queries.adhoc(text).explain());
    // docs/http-api.md: warnings are texts.
    return ((warnings ?? []) as readonly string[]).map((message) => ({
      ...rangeAt(text, offsetIn(text, message)),
      severity: 'warning',
      message,
    }));
  } catch (error) {
    if (!(error instanceof RefusedError) || error.position === undefined) return [];
    if (NOT_MISTAKES.has(error.code)) return [];
    const message = firstLine(error.message);
    const hint = error.hint === undefined ? '' : `\n${error.hint}`;
    const range = rangeAt(text, error.position.offset);
    return [{ ...range, severity: 'error', message: `${message}${hint}` }];
  }
}

function firstLine(message: string): string {
  return message.split('\n')[0] ?? message;
}

/** Warnings end with `(line 1, column 8)`. */
function offsetIn(text: string, warning: string): number {
  const [, line = '1', column = '1'] = /\(line (\d+), column (\d+)\)/u.exec(warning) ?? [];
  const before = text.split('\n').slice(0, Number(line) - 1);
  return before.reduce((sum, each) => sum + each.length + 1, 0) + Number(column) - 1;
}

/** The word at a position, or one character. */
function rangeAt(text: string, offset: number): { readonly from: number; readonly to: number } {
  const from = Math.min(offset, Math.max(0, text.length - 1));
  const word = /^\w+/u.exec(text.slice(from))?.[0].length ?? 1;
  return { from, to: Math.min(text.length, from + word) };
}
