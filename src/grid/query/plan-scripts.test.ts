// Runs the golden scripts of ../../oql/testdata/plan: regions with indexes, queries and their plans.
// UPDATE_GOLDEN=1 rewrites them; review the difference.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import type { Change } from '../../engine/engine.ts';
import type { IndexDefinition } from '../../engine/index-definition.ts';
import { MemoryEngine } from '../../engine/memory/memory-engine.ts';
import { plainRegion } from '../../engine/testing/plain-region.ts';
import {
  type BoundQuery,
  bindParameters,
  bindQuery,
  type Catalog,
  OqlError,
  parseQuery,
  printExplanation,
  type RunContext,
} from '../../oql/index.ts';
import { QueryColumns } from './query-columns.ts';

const folder = new URL('../../oql/testdata/plan/', import.meta.url);
const names = readdirSync(folder).filter((name) => name.endsWith('.txt'));

describe('the planner decides as in the script', () => {
  it('and there are scripts to run', () => {
    assert.ok(names.length > 8);
  });

  for (const name of names) {
    it(name, async () => {
      const file = new URL(name, folder);
      const script = readFileSync(file, 'utf8');
      const replayed = await new Script().replay(script);
      if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(file, replayed);
      else assert.equal(replayed, script);
    });
  }
});

class Script {
  readonly #engine = new MemoryEngine();
  readonly #columns = new QueryColumns(this.#engine, 1e9);
  readonly #regions = new Map<string, IndexDefinition[]>();
  readonly #catalog: Catalog = {
    findRegion: (name) =>
      this.#regions.has(name) ? { type: 'REPLICATE', valueMembers: undefined } : undefined,
    regionNames: () => this.#regions.keys(),
    findTypeMembers: () => undefined,
  };

  /** The script with every plan replaced by the current one. */
  async replay(script: string): Promise<string> {
    const replayed: string[] = [];
    for (const block of script.trimEnd().split(/\n{2,}/)) {
      const lines = block.split('\n');
      const header = lines.find((line) => !line.startsWith('#')) ?? '';
      if (header.startsWith('region ')) await this.#fill(header.slice(7), lines);
      if (header.startsWith('index ')) for (const line of lines) await this.#index(line);
      replayed.push(header.startsWith('>') ? await this.#explain(lines) : block);
    }
    this.#columns.close();
    await this.#engine.close();
    return `${replayed.join('\n\n')}\n`;
  }

  async #fill(name: string, lines: readonly string[]): Promise<void> {
    await this.#engine.createRegion(plainRegion(name));
    this.#regions.set(name, []);
    const region = await this.#engine.openRegion(name);
    const changes: Change[] = [];
    for (const line of lines) {
      const [first = '', count = ''] = line.split(' ');
      if (first === '#' || first === 'region') continue;
      const isTemplate = first === '*';
      for (let row = 0; row < (isTemplate ? Number(count) : 1); row += 1) {
        const key = isTemplate ? String(row) : first;
        const template = line.slice(first.length + 1 + (isTemplate ? count.length + 1 : 0));
        const value = template
          .replace(/#%(\d+)/g, (_, divisor) => String(row % Number(divisor)))
          .replaceAll('#', String(row));
        changes.push({ kind: 'put', key, value });
      }
    }
    await region?.write(changes);
  }

  /** `index by-status range o.status from /orders o` */
  async #index(line: string): Promise<void> {
    const found = /^index (\S+) (range|hash|key) (.+) from (\/(\w+).*)$/.exec(line);
    const [, name, kind, expression, from, region] = found ?? [];
    if (name === undefined || expression === undefined || from === undefined) return;
    if (region === undefined || (kind !== 'range' && kind !== 'hash' && kind !== 'key')) return;
    await this.#engine.addIndex(region, { name, kind, expression, from });
  }

  async #count(query: BoundQuery, context: RunContext): Promise<number> {
    let rows = 0;
    for await (const piece of this.#columns.execute(query, this.#catalog, context)) {
      rows += piece.rows;
    }
    return rows;
  }

  /** Actual rows are printed beside the estimated ones; the clock does not move. */
  async #explain(lines: readonly string[]): Promise<string> {
    const input = lines.filter((line) => /^[#>]/.test(line));
    const text = input.filter((line) => line.startsWith('>')).map((line) => line.slice(2));
    try {
      const query = bindQuery(parseQuery(text.join('\n')), this.#catalog);
      const parameters = bindParameters(query, [], 0);
      const context = { parameters, now: () => 0, pause: async () => undefined };
      const explanation = await this.#columns.explain(query, this.#catalog, context, 'analyze');
      assert.equal(explanation.plan.actualRows, await this.#count(query, context), text.join(' '));
      const picture = printExplanation(explanation).replaceAll(' in 0 ms)', ')').trimEnd();
      return [...input, picture].join('\n');
    } catch (error) {
      if (!(error instanceof OqlError)) throw error;
      return [...input, `! ${error.code}`].join('\n');
    }
  }
}
