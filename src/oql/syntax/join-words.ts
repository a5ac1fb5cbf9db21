// The words of a join. They are not reserved: each is a name unless a source follows JOIN.

import { notSupported } from '../errors.ts';
import type { Join } from './ast.ts';
import { canStartAfterWord } from './token.ts';
import type { TokenStream } from './token-stream.ts';

type JoinKind = Join['kind'] | 'cross';

export interface JoinWords {
  readonly kind: JoinKind;
  /** The number of words of the keyword. */
  readonly words: number;
}

/** The join that the next words begin, if any. */
export function joinAhead(tokens: TokenStream): JoinWords | undefined {
  const words = countJoinWords(tokens, 0);
  if (words === 0) return undefined;
  const word = tokens.peek();
  switch (word.text.toLowerCase()) {
    case 'cross':
      return { kind: 'cross', words };
    case 'left':
      return { kind: 'left', words };
    case 'right':
      throw notSupported(tokens.locate(word), 'RIGHT JOIN', RIGHT_HINT);
    case 'full':
      throw notSupported(tokens.locate(word), 'FULL JOIN', FULL_HINT);
    case 'natural':
      throw notSupported(tokens.locate(word), 'NATURAL JOIN', ON_HINT);
    default:
      return { kind: 'inner', words };
  }
}

const RIGHT_HINT = 'Write it as LEFT JOIN, with the region whose rows are all kept on the left';
const FULL_HINT =
  'Write a LEFT JOIN, then UNION ALL and the rows on the right for which NOT EXISTS a row on the left';
export const ON_HINT = 'Write the condition of a join: ON a.id = b.id';

const KINDS: ReadonlySet<string> = new Set(['inner', 'cross', 'left', 'right', 'full', 'natural']);
const OUTER_KINDS: ReadonlySet<string> = new Set(['left', 'right', 'full']);

/** How many words from `ahead` on are those of a join; 0 if none is. */
export function countJoinWords(tokens: TokenStream, ahead: number): number {
  const { kind, text } = tokens.peek(ahead);
  if (kind !== 'identifier') return 0;
  if (isJoinWord(tokens, ahead)) return 1;
  const word = text.toLowerCase();
  if (!KINDS.has(word)) return 0;
  const isOuter = OUTER_KINDS.has(word) && tokens.isContextual('outer', ahead + 1);
  const words = isOuter ? 2 : 1;
  return isJoinWord(tokens, ahead + words) ? words + 1 : 0;
}

/** JOIN with a source after it; otherwise it is a name, for example an alias. */
function isJoinWord(tokens: TokenStream, ahead: number): boolean {
  if (!tokens.isContextual('join', ahead)) return false;
  return canStartAfterWord(tokens.peek(ahead + 1));
}
