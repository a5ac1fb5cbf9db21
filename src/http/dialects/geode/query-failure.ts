// Why a query failed, in Geode's fixed sentences. Those of ad-hoc and of named queries differ.

import { type OqlError, PROJECT_IT } from '../../../grid/index.ts';
import type { Intent } from '../../intent/intent.ts';
import { failOperation, type GeodeError, refuse } from './geode-error.ts';

const NAMED_FAILED = 'Error encountered while executing named query!';
const NO_JSON =
  'Server has encountered error while generating query result into restful format(JSON)!';

type Sentences = Readonly<Record<'adhoc' | 'named', string>>;

const SENTENCES: Readonly<Partial<Record<OqlError['failure'], Sentences>>> = {
  'function-domain': both(
    'A function was applied to a parameter that is improper for that function!',
  ),
  'type-mismatch': both('Bind parameter is not of the expected type!'),
  'name-resolution': both('Name in the query cannot be resolved!'),
  'parameter-count': { adhoc: 'Index 0 out of bounds for length 0', named: NAMED_FAILED },
  'region-not-permitted': both('Query is not permitted on this type of region!'),
  'data-unavailable': both('Data referenced in from clause is not available for querying!'),
  timeout: {
    adhoc:
      'Query execution time is exceeded max query execution time (gemfire.Cache.MAX_QUERY_EXECUTION_TIME) configured! ',
    named:
      'Query execution time is exceeded  max query execution time (gemfire.Cache.MAX_QUERY_EXECUTION_TIME) configured!',
  },
  'low-memory': {
    adhoc:
      'Query execution gets canceled due to low memory conditions and the resource manager critical heap percentage has been set!',
    named:
      'Query gets canceled due to low memory conditions and the resource manager critical heap percentage has been set!',
  },
};

export function explainQueryFailure(error: OqlError, intent: Intent | undefined): GeodeError {
  const kind = intent?.kind === 'run-named-query' ? 'named' : 'adhoc';
  if (error.failure === 'invalid-syntax') {
    const oql = intent?.kind === 'run-adhoc-query' ? (intent.oql ?? '') : '';
    return kind === 'named'
      ? failOperation('request/bad-query-text', 'Syntax of the OQL queryString is invalid!')
      : refuse('request/bad-query-text', 500, explainSyntax(error, oql));
  }
  const sentence = SENTENCES[error.failure]?.[kind] ?? explainOther(error, kind);
  return failOperation('request/bad-query-text', sentence);
}

function both(sentence: string): Sentences {
  return { adhoc: sentence, named: sentence };
}

function explainOther(error: OqlError, kind: 'adhoc' | 'named'): string {
  if (kind === 'named') return NAMED_FAILED;
  switch (error.code) {
    case 'oql/result-not-collection':
      return NO_JSON;
    case 'oql/date-invalid':
      return `Malformed date format string as the format is ${QUOTED.exec(error.message)?.[1] ?? ''}`;
    default:
      return firstLine(error);
  }
}

const QUOTED = /'(.*)'/;

function explainSyntax(error: OqlError, oql: string): string {
  switch (error.code) {
    case 'oql/grouping-invalid':
      // The hint distinguishes the two cases.
      return error.hint === PROJECT_IT
        ? 'Query contains group by columns not present in projected fields'
        : 'Query contains projected column not present in group by clause';
    case 'oql/syntax-error':
      return `Syntax error in query: ${unexpected(tokensAt(oql, error.position.offset)[0] ?? 'EOF')}`;
    case 'oql/literal-invalid':
      return `Syntax error in query: ${explainLiteral(tokensAt(oql, error.position.offset))}`;
    default:
      return `Syntax error in query: ${firstLine(error)}`;
  }
}

/** Single characters that are no token in Geode. */
const STRANGE = /^[#~`^&|\\?!]$/;

function unexpected(token: string): string {
  return STRANGE.test(token) ? `unexpected char: '${token}'` : `unexpected token: ${token}`;
}

const FORMATS: ReadonlyMap<string, string> = new Map([
  ['DATE', 'yyyy-mm-dd'],
  ['TIME', 'hh:mm:ss'],
  ['TIMESTAMP', 'yyyy-mm-dd hh:mm:ss.fffffffff'],
]);

function explainLiteral([first = '', second = '']: readonly string[]): string {
  const format = FORMATS.get(first.toUpperCase());
  if (format === undefined) return `unable to parse integer: ${first}`;
  const text = second.replaceAll("'", '');
  return `Illegal format for ${first.toUpperCase()} literal: ${text} . Expected format is ${format}`;
}

const TOKEN = /\s*(?:[\p{L}_][\p{L}\p{N}_$]*|\d[\w.]*|'[^']*'?|"[^"]*"?|[<>!]=|<>|\S)/uy;

/** The first two tokens from an offset on. */
function tokensAt(oql: string, offset: number): readonly string[] {
  TOKEN.lastIndex = offset;
  return [TOKEN.exec(oql), TOKEN.exec(oql)].flatMap((match) => match?.[0].trim() ?? []);
}

/** The other lines show the position in the text. */
function firstLine({ message }: OqlError): string {
  return message.split('\n', 1)[0] ?? '';
}
