import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { MemoryEngine } from '../../engine/memory/memory-engine.ts';
import { plainRegion } from '../../engine/testing/plain-region.ts';
import { bindParameters, bindQuery, type Catalog, parseQuery } from '../../oql/index.ts';
import { executeReference } from '../../oql/reference/execute-reference.ts';
import { printJson } from '../../value/json-print.ts';
import { shareOfRuns } from '../../value/testing/share-of-runs.ts';
import { QueryColumns } from './query-columns.ts';
import { createSnapshotSource } from './snapshot-source.ts';

const catalog: Catalog = {
  findRegion: () => ({ type: 'REPLICATE', valueMembers: undefined }),
  regionNames: () => ['orders'].values(),
  findTypeMembers: () => undefined,
};
const context = { parameters: [], now: () => 0, pause: async () => undefined };

class PointCase {
  readonly engine = new MemoryEngine();
  readonly columns = new QueryColumns(this.engine, 1e9);

  static async open(kind: 'hash' | 'range' | 'key', expression = 'o.id'): Promise<PointCase> {
    const opened = new PointCase();
    await opened.engine.createRegion(plainRegion('orders'));
    const index = { name: 'by-id', kind, expression, from: '/orders o' };
    await opened.engine.addIndex('orders', index);
    return opened;
  }

  async put(key: string, value: string): Promise<void> {
    const region = await this.engine.openRegion('orders');
    await region?.write([{ kind: 'put', key, value }]);
  }

  async remove(key: string): Promise<void> {
    const region = await this.engine.openRegion('orders');
    await region?.write([{ kind: 'remove', key }]);
  }

  /** Undefined when the query has to be executed. */
  async find(oql: string, ...json: string[]): Promise<string | undefined> {
    const query = bindQuery(parseQuery(oql), catalog);
    const parameters = bindParameters(
      query,
      json.map((each) => ({
        name: undefined,
        type: each.startsWith('"') ? 'string' : 'int',
        json: each,
      })),
      0,
    );
    const found = await this.columns.findPoint(query, catalog, { parameters });
    return found && `[${found.json}]`;
  }

  async execute(oql: string): Promise<string> {
    const query = bindQuery(parseQuery(oql), catalog);
    const decoder = new TextDecoder();
    const pieces: string[] = [];
    for await (const { json } of this.columns.execute(query, catalog, context)) {
      pieces.push(decoder.decode(json));
    }
    return `[${pieces.join()}]`;
  }

  async executeReference(oql: string): Promise<string> {
    const query = bindQuery(parseQuery(oql), catalog);
    const snapshot = await this.engine.openSnapshot();
    const rows: string[] = [];
    for await (const batch of executeReference(
      query,
      createSnapshotSource(snapshot, catalog),
      context,
    )) {
      rows.push(...batch.map((value) => printJson(value)));
    }
    snapshot.close();
    return `[${rows.join()}]`;
  }

  async close(): Promise<void> {
    this.columns.close();
    await this.engine.close();
  }
}

const RUNS = shareOfRuns(1_000);

describe('point queries', () => {
  it('are answered through an index once it is in memory', async () => {
    const point = await PointCase.open('hash');
    await point.put('b', '{"id":7,"n":"x"}');
    await point.put('a', '{"id":7.0,"n":"y"}');
    const oql = 'SELECT * FROM /orders o WHERE o.id = 7';
    assert.equal(await point.find(oql), undefined);
    assert.equal(await point.execute(oql), '[{"id":7.0,"n":"y"},{"id":7,"n":"x"}]');
    assert.equal(await point.find(oql), '[{"id":7.0,"n":"y"},{"id":7,"n":"x"}]');
    const byParameter = 'SELECT o.n, o.id FROM /orders o WHERE $1 = o.id';
    assert.equal(await point.find(byParameter, '7'), '[{"n":"y","id":7.0},{"n":"x","id":7}]');
    assert.equal(await point.find(byParameter, '8'), '[]');
    assert.equal(await point.find('SELECT o.n FROM /orders o WHERE o.id = 7'), '["y","x"]');
    await point.close();
  });

  it('see every acknowledged write, and no removed entry', async () => {
    const point = await PointCase.open('range');
    const oql = "SELECT o.n FROM /orders o WHERE o.id = 'k'";
    await point.put('a', '{"id":"k","n":1}');
    await point.execute(oql);
    assert.equal(await point.find(oql), '[1]');
    await point.put('a', '{"id":"k","n":2}');
    await point.put('b', '{"id":"k","n":3}');
    assert.equal(await point.find(oql), '[2,3]');
    await point.remove('a');
    assert.equal(await point.find(oql), '[3]');
    await point.put('b', '{"id":"other"}');
    assert.equal(await point.find(oql), '[]');
    await point.close();
  });

  it('fall back to the executor where an entry changes between the index and the read', async () => {
    const point = await PointCase.open('hash');
    const oql = 'SELECT o.n FROM /orders o WHERE o.id = 1';
    await point.put('a', '{"id":1,"n":1}');
    await point.execute(oql);
    const finding = point.find(oql);
    const writing = point.put('a', '{"id":2,"n":2}');
    const found = await finding;
    assert.ok(found === undefined || found === '[1]');
    await writing;
    assert.equal(await point.find(oql), '[]');
    await point.close();
  });

  it('may find many entries, but not hundreds and no large ones', async () => {
    const point = await PointCase.open('range');
    for (let at = 0; at < 200; at += 1) {
      const id = at < 100 ? 1 : 2;
      await point.put(`k${1000 + at}`, `{"id":${id},"n":${at}}`);
    }
    const pad = 'x'.repeat(100_000);
    for (let at = 0; at < 40; at += 1) await point.put(`p${at}`, `{"id":3,"pad":"${pad}"}`);
    const find = (id: number): Promise<string | undefined> =>
      point.find(`SELECT o.n FROM /orders o WHERE o.id = ${id}`);
    await point.execute('SELECT o.n FROM /orders o WHERE o.id = 1');
    assert.equal(await find(1), `[${Array.from({ length: 100 }, (_, at) => at).join()}]`);
    assert.equal(await point.find('SELECT * FROM /orders o WHERE o.id = 3'), undefined);
    for (let at = 200; at < 300; at += 1) await point.put(`k${1000 + at}`, '{"id":2}');
    await point.execute('SELECT o.n FROM /orders o WHERE o.id = 1');
    assert.equal(await find(2), undefined);
    await point.close();
  });

  it('are only those whose conditions an index serves and whose result needs only its rows', async () => {
    const point = await PointCase.open('hash');
    await point.put('a', '{"id":1,"n":1}');
    await point.execute('SELECT * FROM /orders o WHERE o.id = 1');
    for (const oql of [
      'SELECT DISTINCT * FROM /orders o WHERE o.id = 1',
      'SELECT * FROM /orders o WHERE o.id = 1 LIMIT 1',
      'SELECT * FROM /orders o WHERE o.id = 1 ORDER BY o.n',
      'SELECT COUNT(*) FROM /orders o WHERE o.id = 1',
      'SELECT * FROM /orders o WHERE o.id = 1 AND o.n = 1',
      'SELECT * FROM /orders o WHERE o.id <> 1',
      'SELECT * FROM /orders o WHERE o.id = 1 + 0',
      'SELECT o.n + 1 FROM /orders o WHERE o.id = 1',
      'SELECT * FROM /orders o, /orders p WHERE o.id = 1',
    ]) {
      assert.equal(await point.find(oql), undefined, oql);
    }
    await point.close();
  });

  it('are those on computed values too, as long as every entry has one', async () => {
    const point = await PointCase.open('range', 'LOWER(o.id)');
    await point.put('a', '{"id":"Ann","n":1}');
    await point.put('b', '{"id":"ANN","n":2}');
    await point.put('c', '{"id":null,"n":3}');
    const oql = "SELECT o.n FROM /orders o WHERE LOWER(o.id) = 'ann'";
    await point.execute(oql);
    assert.equal(await point.find(oql), '[1,2]');
    await point.put('b', '{"id":"Bob","n":2}');
    assert.equal(await point.find(oql), '[1]');
    assert.equal(await point.find(oql.replace('ann', '2024-02-29')), '[]');
    await point.put('d', '{"id":5}');
    assert.equal(await point.find(oql), undefined, 'LOWER fails for a number');
    await point.close();
  });

  it('are those on all values of an index on several', async () => {
    const point = await PointCase.open('range', 'o.id, o.n');
    await point.put('a', '{"id":"x","n":1}');
    await point.put('b', '{"id":"x","n":2}');
    await point.put('c', '{"id":"x","n":1.0}');
    const oql = "SELECT * FROM /orders o WHERE o.n = 1 AND o.id = 'x'";
    await point.execute(oql);
    assert.equal(await point.find(oql), '[{"id":"x","n":1},{"id":"x","n":1.0}]');
    const parameters = 'SELECT o.n FROM /orders o WHERE o.id = $1 AND o.n = $2';
    assert.equal(await point.find(parameters, '"x"', '2'), '[2]');
    assert.equal(await point.find(parameters, '"y"', '2'), '[]');
    assert.equal(await point.find('SELECT o.n FROM /orders o WHERE o.n = 1'), undefined);
    await point.close();
  });

  it('are those on the first values of an index on several, and on null', async () => {
    const point = await PointCase.open('range', 'o.id, o.n');
    await point.put('a', '{"id":"x","n":1}');
    await point.put('b', '{"id":"x"}');
    await point.put('c', '{"id":null,"n":2}');
    await point.put('d', '{"n":3}');
    const oql = "SELECT o FROM /orders o WHERE o.id = 'x'";
    await point.execute(oql);
    assert.equal(await point.find(oql), '[{"id":"x","n":1},{"id":"x"}]');
    const ofNull = 'SELECT o FROM /orders o WHERE o.id = null';
    assert.equal(await point.find(ofNull), await point.executeReference(ofNull));
    assert.equal(await point.find(ofNull), '[{"id":null,"n":2}]');
    await point.close();
  });

  it('are served by the index on the fewest values', async () => {
    const point = await PointCase.open('range', 'o.id, o.n');
    const index = { name: 'alone', kind: 'hash', expression: 'o.id', from: '/orders o' } as const;
    await point.engine.addIndex('orders', index);
    await point.put('a', '{"id":"x","n":1}');
    const oql = "SELECT o.n FROM /orders o WHERE o.id = 'x'";
    await point.execute(oql);
    const { uses } = point.columns.indexUses.find('orders', 'alone');
    assert.equal(await point.find(oql), '[1]');
    assert.equal(point.columns.indexUses.find('orders', 'alone').uses, uses + 1);
    await point.close();
  });

  it('return the same as the reference evaluator, for all values', async (t) => {
    const id = fc.constantFrom(
      ...['1', '1.0', '1.50', '-0', '0', '-0.0', '"1"', '"a"', '"é"', 'null', 'true', '[1]', '{}'],
      ...['9007199254740993', '9007199254740992', '1e400', '1E0'],
    );
    const step = fc.record({ key: fc.constantFrom('a', 'b', 'c', 'd'), id: fc.option(id) });
    const literal = fc.constantFrom(
      '1',
      '1.0',
      '1.5',
      '0',
      "'1'",
      "'a'",
      "'é'",
      "'zz'",
      '9007199254740993L',
    );
    const kind = fc.constantFrom('hash', 'range', 'key');
    let answered = 0;
    await fc.assert(
      fc.asyncProperty(
        kind,
        fc.array(step, { maxLength: 6 }),
        fc.array(step, { maxLength: 6 }),
        literal,
        async (indexKind, before, after, value) => {
          const point = await PointCase.open(indexKind);
          const oql = `SELECT o.id, o.n, o FROM /orders o WHERE o.id = ${value}`;
          const write = async (each: { key: string; id: string | null }): Promise<void> => {
            if (each.id === null) await point.remove(each.key);
            else await point.put(each.key, `{"@type":"T","id":${each.id},"n":1}`);
          };
          for (const each of before) await write(each);
          await point.execute(oql);
          for (const each of after) await write(each);
          const found = await point.find(oql);
          if (found !== undefined) {
            answered += 1;
            assert.equal(found, await point.executeReference(oql));
          }
          await point.close();
        },
      ),
      { numRuns: RUNS },
    );
    const outcome = `${answered} of ${RUNS} were answered through the index`;
    t.diagnostic(outcome);
    assert.ok(answered > RUNS * 0.35, outcome);
  });
});
