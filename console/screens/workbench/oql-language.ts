// OQL for the editor: highlighting and completion.

import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete';
import { LanguageSupport, StreamLanguage, type StringStream } from '@codemirror/language';
import { tags } from '@lezer/highlight';
import { CALLED_NAMES, KEYWORDS } from '../../../src/oql/vocabulary.ts';
import { regionPath } from '../../api/region-path.ts';

/** Completions that depend on the grid. */
export interface OqlNames {
  readonly regions: () => readonly string[];
  /** Paths in the documents of a region, learned from some of them. */
  readonly fields: (region: string) => Promise<readonly string[]>;
}

const CALLED: ReadonlySet<string> = new Set(CALLED_NAMES);

/** Words that begin or join clauses; types are highlighted but not offered. */
const OFFERED =
  'SELECT DISTINCT FROM WHERE AND OR NOT IN LIKE BETWEEN IS NULL GROUP BY HAVING ORDER BY ASC DESC LIMIT OFFSET CASE WHEN THEN ELSE END JOIN LEFT ON UNION EXISTS WITH AS TRUE FALSE'.split(
    ' ',
  );

const tokens = StreamLanguage.define<{ inComment: boolean }>({
  name: 'oql',
  startState: () => ({ inComment: false }),
  token(stream, state) {
    if (state.inComment) return skipComment(stream, state);
    if (stream.eatSpace()) return null;
    if (stream.match('/*')) {
      state.inComment = true;
      return skipComment(stream, state);
    }
    if (stream.match(/^--.*/u)) return 'comment';
    if (stream.match(/^'(?:[^']|'')*'?/u)) return 'string';
    if (stream.match(/^"(?:[^"]|"")*"?/u)) return 'propertyName';
    if (stream.match(/^(?:\$\d+|:[A-Za-z_]\w*)/u)) return 'placeholder';
    if (stream.match(/^\d+(?:\.\d+)?(?:[eE][+-]?\d+)?[lLfFdD]?/u)) return 'number';
    if (stream.match(/^\/[A-Za-z_][\w-]*/u)) return 'typeName';
    if (stream.match(/^\.[A-Za-z_]\w*/u)) return 'propertyName';
    const word = stream.match(/^[A-Za-z_]\w*/u);
    if (word === null || word === true || word === false) {
      stream.next();
      return null;
    }
    return kindOfWord(word[0], stream);
  },
  tokenTable: {
    placeholder: tags.special(tags.variableName),
    call: tags.function(tags.variableName),
  },
  languageData: { commentTokens: { line: '--', block: { open: '/*', close: '*/' } } },
});

function kindOfWord(word: string, stream: StringStream): string | null {
  const upper = word.toUpperCase();
  if (CALLED.has(upper) && stream.match(/^\s*\(/u, false)) return 'call';
  if (upper === 'TRUE' || upper === 'FALSE' || upper === 'NULL' || upper === 'UNDEFINED')
    return 'atom';
  return KEYWORDS.has(upper) ? 'keyword' : null;
}

function skipComment(stream: StringStream, state: { inComment: boolean }): string {
  if (stream.skipTo('*/')) {
    stream.match('*/');
    state.inComment = false;
  } else {
    stream.skipToEnd();
  }
  return 'comment';
}

export function oql(names: OqlNames): LanguageSupport {
  const complete = (context: CompletionContext) => completeOql(context, names);
  return new LanguageSupport(tokens, [autocompletion({ override: [complete], icons: false })]);
}

/** After `/` regions, after `o.` the fields of its region, elsewhere words and functions. */
export async function completeOql(
  context: CompletionContext,
  { fields, regions }: OqlNames,
): Promise<CompletionResult | null> {
  const region = context.matchBefore(/\/[\w-]*/u);
  if (region !== null) {
    const options = regions().map((name) => ({
      label: `/${name}`,
      apply: regionPath(name),
      detail: 'region',
    }));
    return { from: region.from, options, validFor: /^\/[\w-]*$/u };
  }
  const path = context.matchBefore(/[A-Za-z_]\w*(?:\.\w*)+/u);
  if (path !== null) return completePath(context, path, fields);
  const word = context.matchBefore(/[A-Za-z_]\w*/u);
  if (word === null && !context.explicit) return null;
  const aliases = [...aliasesOf(context.state.doc.toString())];
  const options: Completion[] = [
    ...aliases.map(([label, name]) => ({ label, detail: `/${name}`, boost: 2 })),
    ...OFFERED.map((label) => ({ label, boost: 1 })),
    ...CALLED_NAMES.map((label) => ({ label, apply: `${label}(`, detail: 'function' })),
  ];
  return { from: word?.from ?? context.pos, options, validFor: /^\w*$/u };
}

async function completePath(
  context: CompletionContext,
  { from, text }: { readonly from: number; readonly text: string },
  fields: OqlNames['fields'],
): Promise<CompletionResult | null> {
  const [alias = '', ...before] = text.split('.');
  const region = aliasesOf(context.state.doc.toString()).get(alias);
  if (region === undefined) return null;
  const start = text.lastIndexOf('.') + 1;
  const prefix = before
    .slice(0, -1)
    .map((part) => `${part}.`)
    .join('');
  const known = await fields(region);
  const members = new Set(
    known
      .filter((each) => each.startsWith(prefix))
      .map((each) => each.slice(prefix.length).split('.')[0] ?? ''),
  );
  const options = [...members].filter(Boolean).map((label) => ({
    label,
    apply: PLAIN_NAME.test(label) ? label : `"${label}"`,
    detail: 'field',
  }));
  return { from: from + start, options, validFor: /^\w*$/u };
}

/** Any other name is in quotes. */
const PLAIN_NAME = /^[\p{L}_][\p{L}\p{Nd}_]*$/u;

/** `FROM /orders o, /'my.region' AS c` names two regions. */
function aliasesOf(text: string): ReadonlyMap<string, string> {
  const aliases = new Map<string, string>();
  const named =
    /\/(?:'([^']+)'|([A-Za-z_][\w-]*))(?:\.\w+(?:\(\))?)?\s+(?:AS\s+)?([A-Za-z_]\w*)/giu;
  for (const [, quoted, plain = '', alias = ''] of text.matchAll(named)) {
    if (!KEYWORDS.has(alias.toUpperCase())) aliases.set(alias, quoted ?? plain);
  }
  return aliases;
}
