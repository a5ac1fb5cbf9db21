// Guards: the conditions of a write, tested in its transaction.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { commit, put } from './commits.ts';
import { type EngineHarness, openOrders } from './harness.ts';

export function guardContract(harness: EngineHarness): void {
  it('writes under all-present only when every key exists', async (t) => {
    const { region } = await openOrders(t, harness);
    await commit(region, [put('a', '{}'), put('b', '{}')]);
    const outcome = await region.write(
      [put('y', '{"new":1}'), put('a', '{"new":1}'), put('x', '{"new":1}')],
      [{ kind: 'all-present' }],
    );
    assert.deepEqual(outcome, { kind: 'keys-missing', keys: ['y', 'x'] });
    assert.equal(await region.count(), 2);
    assert.equal((await region.read(['a']))[0]?.value, '{}');
    const both = [put('a', '{"new":1}'), put('b', '{"new":1}')];
    assert.equal((await region.write(both, [{ kind: 'all-present' }])).kind, 'committed');
  });

  it('writes under all-absent only when no key exists', async (t) => {
    const { region } = await openOrders(t, harness);
    const version = await commit(region, [put('b', '{"b":1}'), put('a', '{"a":1}')]);
    const outcome = await region.write(
      [put('a', '{}'), put('x', '{}'), put('b', '{}')],
      [{ kind: 'all-absent' }],
    );
    assert.deepEqual(outcome, {
      kind: 'keys-present',
      entries: [
        { key: 'a', value: '{"a":1}', version },
        { key: 'b', value: '{"b":1}', version },
      ],
    });
    assert.deepEqual(await region.read(['x']), [undefined]);
    assert.equal(
      (await region.write([put('x', '{}')], [{ kind: 'all-absent' }])).kind,
      'committed',
    );
  });

  it('tests versions', async (t) => {
    const { region } = await openOrders(t, harness);
    const version = await commit(region, [put('a', '{"n":1}')]);
    const current = { value: '{"n":1}', version };
    const attempt = async (
      kind: 'version-is' | 'version-is-not',
      key: string,
      versions: readonly number[],
    ) => region.write([{ kind: 'remove', key: 'other' }], [{ kind, key, versions }]);
    const passed = { kind: 'committed', version };
    assert.deepEqual(await attempt('version-is', 'a', [version - 1, version]), passed);
    assert.deepEqual(await attempt('version-is', 'a', [version + 1]), {
      kind: 'version-differs',
      current,
    });
    assert.deepEqual(await attempt('version-is', 'x', [version]), { kind: 'version-differs' });
    assert.deepEqual(await attempt('version-is-not', 'a', [version]), {
      kind: 'version-differs',
      current,
    });
    assert.deepEqual(await attempt('version-is-not', 'a', [version + 1]), passed);
    assert.deepEqual(await attempt('version-is-not', 'x', [version]), passed);
  });

  it('lets the first guard that fails decide', async (t) => {
    const { region } = await openOrders(t, harness);
    const guards = [
      { kind: 'version-is-not', key: 'x', versions: [] },
      { kind: 'all-present' },
      { kind: 'version-is', key: 'x', versions: [1] },
    ] as const;
    const outcome = await region.write([put('x', '{}')], guards);
    assert.deepEqual(outcome, { kind: 'keys-missing', keys: ['x'] });
  });

  it('lets one of many creators of a key win', async (t) => {
    const { region } = await openOrders(t, harness);
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        region.write([put('a', `{"i":${i}}`), put(`own${i}`, '{}')], [{ kind: 'all-absent' }]),
      ),
    );
    assert.equal(outcomes.filter((outcome) => outcome.kind === 'committed').length, 1);
    assert.equal(await region.count(), 2);
  });

  it('loses no increment made under version guards', async (t) => {
    const { region } = await openOrders(t, harness);
    await commit(region, [put('n', '{"n":0}')]);
    const increment = async (): Promise<void> => {
      for (;;) {
        const [entry] = await region.read(['n']);
        assert.ok(entry);
        const n = Number(/\d+/.exec(entry.value)?.[0]) + 1;
        const guard = { kind: 'version-is', key: 'n', versions: [entry.version] } as const;
        const outcome = await region.write([put('n', `{"n":${n}}`)], [guard]);
        if (outcome.kind === 'committed') return;
      }
    };
    await Promise.all(Array.from({ length: 20 }, increment));
    assert.equal((await region.read(['n']))[0]?.value, '{"n":20}');
  });
}
