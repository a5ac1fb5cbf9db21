// Measures the cost of preparing one text, step by step, as CPU time of this thread. Wall-clock time
// would include other work of the machine.

import { bindQuery } from '../../src/oql/bind/bind-query.ts';
import type { ColumnSource } from '../../src/oql/columnar/column-source.ts';
import { shapeSelect } from '../../src/oql/columnar/shape.ts';
import { OqlError } from '../../src/oql/errors.ts';
import { planVector } from '../../src/oql/execute/vector/execute-vector.ts';
import { usefulIndexes } from '../../src/oql/plan/useful-indexes.ts';
import { compileQuery } from '../../src/oql/reference/compile-query.ts';
import { parseQuery } from '../../src/oql/syntax/parse-query.ts';
import { TokenStream } from '../../src/oql/syntax/token-stream.ts';
import { adversarialCatalog, openAdversarialColumns } from './columns.ts';

const MOST_MS = 800;
type Step = 'lex' | 'parse' | 'bind' | 'compile' | 'shape' | 'plan';
/** Milliseconds of CPU. */
export type Times = Readonly<Record<Step, number>>;

export interface Measured {
  readonly times: Times;
  /** Code of the error, if there was one. */
  readonly code: string;
}

let columns: Promise<ColumnSource> | undefined;

async function measure(text: string, source: ColumnSource) {
  const times = { lex: 0, parse: 0, bind: 0, compile: 0, shape: 0, plan: 0 };
  const step = <Result>(name: Step, work: () => Result): Result => {
    const begun = cpuMs();
    try {
      return work();
    } finally {
      times[name] = cpuMs() - begun;
    }
  };
  try {
    step('lex', () => {
      try {
        const tokens = new TokenStream(text);
        while (tokens.take().kind !== 'end');
      } catch (error) {
        if (!(error instanceof OqlError)) throw error;
      }
    });
    const program = step('parse', () => parseQuery(text));
    const query = step('bind', () => bindQuery(program, adversarialCatalog));
    step('compile', () => compileQuery(query));
    const [shape, useful] = step('shape', () => {
      const found = shapeSelect(query.body);
      return [found, 'select' in found ? usefulIndexes(found, source) : undefined] as const;
    });
    if (!('select' in shape) || useful === undefined)
      return { times, code: 'reason' in shape ? shape.reason : '' };
    const tables = await source.openTables(useful.requests, {
      isSliceOver: () => false,
      pause: async () => {},
    });
    if (tables === undefined) return { times, code: 'no tables' };
    const context = {
      parameters: Array.from({ length: 255 }, () => 1),
      now: () => 0,
      pause: async () => {},
    };
    step('plan', () => planVector({ query, shape, tables, context, indexes: useful.indexes }));
    return { times, code: '' };
  } catch (error) {
    if (!(error instanceof OqlError)) throw error;
    return { times, code: error.code };
  }
}

/** The fastest of several rounds; with one round, the cold one. */
export async function measureText(text: string, rounds: number): Promise<Measured> {
  columns ??= openAdversarialColumns();
  const source = await columns;
  let best = await measure(text, source);
  const begun = cpuMs();
  for (let round = 1; round < rounds && cpuMs() - begun < MOST_MS; round++) {
    const measured = await measure(text, source);
    if (total(measured.times) < total(best.times)) best = measured;
  }
  return best;
}

/** The part to which the bar applies. */
export function parseAndBind({ parse, bind }: Times): number {
  return parse + bind;
}

/** Without lexing, which is part of parsing. */
export function total({ parse, bind, compile, shape, plan }: Times): number {
  return parse + bind + compile + shape + plan;
}

/** Linux updates the figure of a thread when that of the process is read. */
function cpuMs(): number {
  process.cpuUsage();
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
