// I5, broken query texts: real ones with parts deleted, repeated, inserted or truncated, and texts that
// are deep, long or slow by design. Each fails with a position in the text, or is a valid query.

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { bindQuery } from '../../src/oql/bind/bind-query.ts';
import { OqlError } from '../../src/oql/errors.ts';
import { parseQuery } from '../../src/oql/syntax/parse-query.ts';
import { FAMILIES } from '../../src/oql/testing/adversarial-texts.ts';
import { printProgram } from '../../src/oql/testing/print-program.ts';
import { openCatalog } from '../../src/oql/testing/sample-catalog.ts';
import { withoutSpans } from '../../src/oql/testing/without-spans.ts';
import { readCorpus } from '../corpus/corpus-line.ts';
import { checkGenerated, type Family, type Figures, replay, type Work } from '../input/family.ts';

const AT_ONCE = 100;
const MOST_MS = 50;
const LONGEST_TEXT = 64 * 1024;

export const brokenTexts: Family = {
  id: 'I5',
  title: 'broken OQL',
  bar: `an OQL error with its place, ≤ ${MOST_MS} ms`,
  cases: 50_000,
  benchCases: 2_000_000,
  run: runBrokenTexts,
};

/**
 * Deep, long and slow texts by name, of the largest accepted length and of a longer one. The longer ones
 * are all refused for their length, so a short run takes one in ten of them.
 */
function madeTexts(isWhole: boolean): ReadonlyMap<string, string> {
  const made = new Map([
    ['10,000 parentheses', `SELECT ${'('.repeat(10_000)}1${')'.repeat(10_000)} FROM /r`],
    ['10,000 that are never closed', '('.repeat(10_000)],
    ['10,000 NOTs', `SELECT * FROM /r WHERE ${'NOT '.repeat(10_000)}TRUE`],
    ['a megabyte', `SELECT * FROM /r WHERE a = '${'x'.repeat(1 << 20)}'`],
  ]);
  for (const [at, [name, make]] of Object.entries(FAMILIES).entries()) {
    made.set(name, make(LONGEST_TEXT - 200));
    if (isWhole || at % 10 === 0) made.set(`a megabyte of ${name}`, make(1 << 20));
  }
  return made;
}

type TextOutcome = 'refused' | 'printed again' | 'too long to print';

/** The slowest text that was refused. */
interface Slowest {
  ms: number;
  name: string;
  /** Whether slow texts are timed again. */
  readonly isTimed: boolean;
}

/** Share of the queries that may be too long to be printed and parsed again. */
const MOST_UNPRINTED = 0.05;

async function runBrokenTexts(work: Work): Promise<Figures> {
  const { isTimed = false } = work;
  const slowest: Slowest = { ms: 0, name: '', isTimed };
  const replayed = await replay('I5', (text: string) => checkText('found', text, slowest));
  const made = madeTexts(work.cases >= brokenTexts.cases);
  for (const [name, text] of made) checkText(name, text, slowest);
  // A second run for the time, because the first one includes compiling by V8.
  if (isTimed) {
    Object.assign(slowest, { ms: 0, name: '' });
    for (const [name, text] of made) checkText(name, text, slowest);
  }
  const slowestMade = { ...slowest };
  Object.assign(slowest, { ms: 0, name: '' });
  const tally = { refused: 0, 'printed again': 0, 'too long to print': 0 };
  const done = await checkGenerated(brokenText, { ...work, atOnce: AT_ONCE }, async (batch) => {
    for (const text of batch) tally[checkText(text, text, slowest)] += 1;
  });
  const unprinted = tally['too long to print'];
  assert.ok(unprinted <= done * MOST_UNPRINTED, `${unprinted} of ${done} were not printed`);
  return {
    cases: done,
    replayed,
    outcome: `${tally.refused} refused in at most ${slowest.ms.toFixed(1)} ms of processor time, ${tally['printed again']} are queries, ${unprinted} more are too long to print; ${made.size} deep and long ones, at most ${slowestMade.ms.toFixed(0)} ms (${slowestMade.name})`,
    isWithinTime: Math.max(slowest.ms, slowestMade.ms) <= MOST_MS,
  };
}

function checkText(name: string, text: string, slowest: Slowest): TextOutcome {
  let timed = timeCompile(text);
  // A slow text is slow each time, unlike a pause of the garbage collector.
  for (let again = 0; slowest.isTimed && again < 3 && timed.ms > MOST_MS; again += 1) {
    timed = { ...timed, ms: Math.min(timed.ms, timeCompile(text).ms) };
  }
  const { error, ms } = timed;
  if (error !== undefined && ms > slowest.ms) Object.assign(slowest, { ms, name });
  return checkOutcome(text, error);
}

/** Measures CPU time, because the machine may be busy. */
function timeCompile(text: string): { readonly error: OqlError | undefined; readonly ms: number } {
  const started = process.threadCpuUsage();
  const error = compile(text);
  const { system, user } = process.threadCpuUsage(started);
  return { error, ms: (user + system) / 1000 };
}

function compile(text: string): OqlError | undefined {
  try {
    bindQuery(parseQuery(text), openCatalog);
    return undefined;
  } catch (error) {
    if (error instanceof OqlError) return error;
    throw new Error(`${text.slice(0, 1000)} broke the parser`, { cause: error });
  }
}

function checkOutcome(text: string, error: OqlError | undefined): TextOutcome {
  const shown = text.slice(0, 1000);
  if (error !== undefined) {
    const { column, line, offset } = error.position;
    assert.ok(offset >= 0 && offset <= text.length, shown);
    assert.ok(line >= 1 && column >= 1, shown);
    return 'refused';
  }
  // A text of nearly full length may exceed it when it is printed.
  if (text.length > LONGEST_TEXT / 2) return 'too long to print';
  const program = parseQuery(text);
  const again = parseQuery(printProgram(program));
  assert.deepEqual(withoutSpans(again.query), withoutSpans(program.query), shown);
  return 'printed again';
}

const SCRAPS = [
  ...'()[]{}<>.,:;$*/+-=!%\'"\\|&#@~^`?',
  ...' \t\n\u00a0\u2003\ud800\u0000é',
  ...[
    'select ',
    'from ',
    'where ',
    ' and ',
    ' not ',
    ' in ',
    ' like ',
    'count(*)',
    'case ',
    'when ',
  ],
  ...[
    ' group by ',
    ' order by ',
    ' limit ',
    '$1',
    ':p',
    '/r',
    '->',
    '--',
    '/*',
    '*/',
    '<>',
    '0x',
    '1e',
  ],
  ...[
    'between ',
    ' is null',
    ' offset 1',
    'set(',
    'element(',
    'null',
    'undefined',
    "'",
    '99999999999',
  ],
];

/** Our own generator, because strings of fast-check begin by building a table of all code points. */
const anyCharacters = fc
  .array(fc.nat(0x10_ffff), { maxLength: 3 })
  .map((codePoints) => String.fromCodePoint(...codePoints));

const texts = fc.constantFrom(...readCorpus().map(({ oql }) => oql));

/** Deletes, repeats, replaces or inserts a part, or joins two halves. */
const mutation = fc.oneof(
  fc.record({ kind: fc.constant('delete' as const), at: fc.nat(400), length: fc.nat(20) }),
  fc.record({ kind: fc.constant('double' as const), at: fc.nat(400), length: fc.nat(40) }),
  fc.record({
    kind: fc.constant('insert' as const),
    at: fc.nat(400),
    text: fc.oneof(fc.constantFrom(...SCRAPS), anyCharacters),
  }),
  fc.record({ kind: fc.constant('splice' as const), at: fc.nat(400), text: texts }),
);

type Mutation = typeof mutation extends fc.Arbitrary<infer T> ? T : never;

function mutate(text: string, change: Mutation): string {
  const at = change.at % (text.length + 1);
  const before = text.slice(0, at);
  switch (change.kind) {
    case 'delete':
      return before + text.slice(at + change.length);
    case 'double':
      return text.slice(0, at + change.length) + text.slice(at);
    case 'insert':
      return before + change.text + text.slice(at);
    case 'splice':
      return before + change.text.slice(change.text.length >> 1);
  }
}

const brokenText = fc
  .tuple(texts, fc.array(mutation, { minLength: 1, maxLength: 4 }))
  .map(([text, changes]) => changes.reduce(mutate, text));
