// Measures what it takes to prepare one text, step by step. CPU time of this
// thread, since the clock on the wall also counts whatever else the machine does.

import { ColumnStore } from '../../src/columns/index.ts';
import { MemoryEngine } from '../../src/engine/memory/memory-engine.ts';
import { createColumnSource, pinRegions } from '../../src/grid/query/open-columns.ts';
import { describeIndexes } from '../../src/grid/query/region-indexes.ts';
import { bindQuery } from '../../src/oql/bind/bind-query.ts';
import type { Catalog } from '../../src/oql/bind/catalog.ts';
import { shapeSelect } from '../../src/oql/columnar/shape.ts';
import { OqlError } from '../../src/oql/errors.ts';
import { compileQuery } from '../../src/oql/execute/compile-query.ts';
import { planVector } from '../../src/oql/execute/vector/execute-vector.ts';
import { wantIndexes } from '../../src/oql/plan/wanted-indexes.ts';
import { parseQuery } from '../../src/oql/syntax/parse-query.ts';
import { TokenStream } from '../../src/oql/syntax/token-stream.ts';

const MOST_MS = 400;
const STEPS = ['lex', 'parse', 'bind', 'compile', 'shape', 'plan'] as const;
type Step = (typeof STEPS)[number];
/** Milliseconds of CPU. */
export type Times = Readonly<Record<Step, number>>;

export interface Measured {
  readonly times: Times;
  /** Of the failure that ended it, if one did. */
  readonly code: string;
}

const REGION = { type: 'REPLICATE', valueMembers: undefined } as const;
const catalog: Catalog = {
  findRegion: () => REGION,
  regionNames: () => ['r'],
  findTypeMembers: () => undefined,
};

async function openColumns() {
  const engine = new MemoryEngine();
  const described = {
    name: 'r',
    type: 'REPLICATE',
    keyConstraint: null,
    valueConstraint: null,
  } as const;
  await engine.createRegion(described);
  const region = await engine.openRegion('r');
  for (let id = 0; id < 300; id++) {
    await region?.write([
      { kind: 'put', key: `${id}`, value: `{"a":${id},"b":1,"s":"${id}","m":{"a":1}}` },
    ]);
  }
  const store = new ColumnStore(1 << 28, engine.stats().sequence);
  const indexes = [
    { name: 'a', kind: 'range', expression: 'a', from: '/r' },
    { name: 's', kind: 'range', expression: 's', from: '/r' },
    { name: 'b', kind: 'hash', expression: 'b', from: '/r' },
    { name: 'm', kind: 'range', expression: 'o.m[*]', from: '/r o' },
  ] as const;
  const regions = [{ ...described, indexes, entryCount: 300, valueBytes: 0 }];
  const pins = pinRegions(store, ['r']);
  return createColumnSource(await engine.openSnapshot(), pins, describeIndexes(regions, catalog));
}

let columns: ReturnType<typeof openColumns> | undefined;

async function measure(text: string, source: Awaited<ReturnType<typeof openColumns>>) {
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
    const query = step('bind', () => bindQuery(program, catalog));
    step('compile', () => compileQuery(query));
    const [shape, wanted] = step('shape', () => {
      const found = shapeSelect(query.body);
      return [found, 'select' in found ? wantIndexes(found, source) : undefined] as const;
    });
    if (!('select' in shape) || wanted === undefined)
      return { times, code: 'reason' in shape ? shape.reason : '' };
    const tables = await source.openTables(wanted.requests, {
      isDue: () => false,
      pause: async () => {},
    });
    if (tables === undefined) return { times, code: 'no tables' };
    const context = {
      parameters: Array.from({ length: 255 }, () => 1),
      now: () => 0,
      pause: async () => {},
    };
    step('plan', () => planVector({ query, shape, tables, context, indexes: wanted.indexes }));
    return { times, code: '' };
  } catch (error) {
    if (!(error instanceof OqlError)) throw error;
    return { times, code: error.code };
  }
}

/** The mean of several rounds after some to warm up; of one cold round where no more are asked for. */
export async function measureText(text: string, rounds: number): Promise<Measured> {
  columns ??= openColumns();
  const source = await columns;
  for (let round = 1; round < rounds / 2; round++) await measure(text, source);
  const sum = { lex: 0, parse: 0, bind: 0, compile: 0, shape: 0, plan: 0 };
  let code = '';
  let done = 0;
  const begun = cpuMs();
  while (done < rounds && (done === 0 || cpuMs() - begun < MOST_MS)) {
    const measured = await measure(text, source);
    for (const step of STEPS) sum[step] += measured.times[step];
    code = measured.code;
    done++;
  }
  for (const step of STEPS) sum[step] /= done;
  return { times: sum, code };
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
