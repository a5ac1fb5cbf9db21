// CodeMirror in a shadow root. There it adopts style sheets; in the page it would add
// <style> elements, which the policy of the page forbids.

import { type Extension, StateEffect } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { useEffect, useRef } from 'preact/hooks';

export interface CodeEditorProps {
  readonly label: string;
  /** The initial document; a new one resets the editor. */
  readonly text: string;
  /** Changes when another document is shown. */
  readonly document: unknown;
  readonly extensions: Extension;
  readonly hasFocus?: boolean;
  readonly onChange: (text: string) => void;
  /** Called with the editor, and with undefined when it is destroyed. */
  readonly onView?: (view: EditorView | undefined) => void;
}

export function CodeEditor(props: CodeEditorProps) {
  const { document: shown, extensions, hasFocus, label, onView, text } = props;
  const host = useRef<HTMLDivElement>(null);
  const onChange = useRef(props.onChange);
  onChange.current = props.onChange;
  useEffect(() => {
    const element = host.current;
    if (element === null) return;
    const root = element.shadowRoot ?? element.attachShadow({ mode: 'open' });
    const view = new EditorView({ doc: text, parent: root, root });
    const onUpdate = EditorView.updateListener.of((update) => {
      if (update.docChanged) onChange.current(update.state.doc.toString());
    });
    const named = EditorView.contentAttributes.of({ 'aria-label': label });
    view.dispatch({
      effects: StateEffect.appendConfig.of([editorTheme, extensions, onUpdate, named]),
    });
    onView?.(view);
    if (hasFocus === true) view.focus();
    return () => {
      onView?.(undefined);
      view.destroy();
    };
  }, [shown, extensions]);
  return <div ref={host} class="code-editor" />;
}

/** The colours are those of the page: custom properties reach into a shadow root. */
const editorTheme = EditorView.theme({
  '&': { height: '100%', color: 'var(--ink)', fontSize: 'var(--text-m)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.6' },
  '.cm-content': { caretColor: 'var(--ink)', padding: 'var(--space-3) 0' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-gutters': {
    backgroundColor: 'transparent',
    border: 'none',
    color: 'var(--ink-3)',
  },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'transparent' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground, ::selection':
    { backgroundColor: 'var(--selected)' },
  '.cm-matchingBracket': { backgroundColor: 'var(--selected)', outline: 'none' },
  // In a long document the other bracket may not be parsed yet; mistakes are underlined anyway.
  '&.cm-focused .cm-nonmatchingBracket': { backgroundColor: 'transparent' },
  '.cm-tooltip': {
    border: '1px solid var(--line)',
    borderRadius: 'var(--radius-m)',
    backgroundColor: 'var(--surface)',
    boxShadow: 'var(--shadow)',
    color: 'var(--ink)',
    overflow: 'hidden',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)', maxHeight: '16rem' },
  // As specific as the rules of the package.
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '3px var(--space-3)' },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--selected)',
    color: 'var(--ink)',
  },
  '.cm-completionDetail': {
    color: 'var(--ink-3)',
    fontStyle: 'normal',
    marginLeft: 'var(--space-3)',
  },
  '.cm-completionMatchedText': { color: 'var(--accent)', textDecoration: 'none' },
  '.cm-diagnostic': {
    padding: 'var(--space-2) var(--space-3)',
    fontFamily: 'var(--font)',
    fontSize: 'var(--text-s)',
    maxWidth: '32rem',
    whiteSpace: 'pre-wrap',
  },
  '.cm-diagnostic-error': { borderLeft: '3px solid var(--danger)' },
  '.cm-diagnostic-warning': { borderLeft: '3px solid var(--warning)' },
  '.cm-lintRange-error': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--danger)',
    textUnderlineOffset: '3px',
  },
  '.cm-lintRange-warning': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--warning)',
    textUnderlineOffset: '3px',
  },
  '.cm-placeholder': { color: 'var(--ink-3)' },
  '.cm-panels': { backgroundColor: 'var(--sunken)', color: 'var(--ink)' },
});
