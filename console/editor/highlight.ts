// Colours of code, shared by all editors.

import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { tags } from '@lezer/highlight';

export const highlighting = syntaxHighlighting(
  HighlightStyle.define([
    { tag: tags.keyword, color: 'var(--accent)', fontWeight: '600' },
    { tag: tags.string, color: 'var(--json-string)' },
    { tag: tags.number, color: 'var(--json-number)' },
    { tag: [tags.bool, tags.null, tags.atom], color: 'var(--json-word)' },
    { tag: [tags.typeName, tags.namespace], color: 'var(--json-key)', fontWeight: '600' },
    { tag: tags.propertyName, color: 'var(--json-key)' },
    { tag: tags.function(tags.variableName), color: 'var(--json-word)' },
    { tag: tags.special(tags.variableName), color: 'var(--json-number)', fontWeight: '600' },
    { tag: tags.comment, color: 'var(--ink-3)', fontStyle: 'italic' },
  ]),
);
