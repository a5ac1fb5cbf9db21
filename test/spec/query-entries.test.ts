// A query that fails because of a value names the entry, and points at the operand.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEveryEngine } from '../service.ts';

onEveryEngine('The entry that makes a query fail', (service) => {
  const regions = async () => {
    const orders = await service().region({
      o1: '{"id":1,"total":5,"items":[{"q":1}]}',
      o2: '{"id":2,"total":"seven","items":[{"q":1},{"q":"two"}]}',
      o3: '{"id":3,"total":null,"items":[]}',
    });
    const customers = await service().region({
      c1: '{"id":1,"tier":1}',
      c2: '{"id":2,"tier":"x"}',
    });
    return { orders, customers };
  };

  const fail = async (oql: string) => {
    const answer = await service().get(`/queries/adhoc?q=${encodeURIComponent(oql)}`);
    assert.equal(answer.status, 500, `${oql}: ${answer.text}`);
    return JSON.parse(answer.text);
  };

  it('is named by region and key, and the position is that of the wrong operand', async () => {
    const { orders: region } = await regions();
    const texts = [
      [`SELECT o.id FROM /${region} o WHERE 1 + o.total > 3`, 'o2', 'o.total'],
      [`SELECT 2 * o.total FROM /${region} o`, 'o2', 'o.total'],
      [`SELECT o.id FROM /${region} o WHERE o.total > 3`, 'o2', 'o.total > 3'],
      [`SELECT ROUND(o.total) FROM /${region} o`, 'o2', 'o.total'],
      [`SELECT o.id FROM /${region} o, o.items i WHERE i.q * 2 > 1`, 'o2', 'i.q'],
      [`SELECT SUM(o.total) FROM /${region} o`, 'o2', 'SUM'],
      [`SELECT o.id FROM /${region} o ORDER BY o.total`, 'o2', 'o.total'],
      [`SELECT e.key FROM /${region}.entries e WHERE e.value.total - 1 > 0`, 'o2', 'e.value.total'],
    ] as const;
    for (const [text, key, operand] of texts) {
      const { entry, position } = await fail(text);
      assert.deepEqual(entry, { region, key }, text);
      assert.ok(text.slice(position.offset).startsWith(operand), `${text}: ${position.offset}`);
    }
  });

  it("is that of the operand's side in joins and subqueries", async () => {
    const { orders, customers } = await regions();
    const texts = [
      `SELECT o.id FROM /${orders} o, /${customers} c WHERE o.id = c.id AND c.tier + 1 > 0`,
      `SELECT o.id FROM /${orders} o JOIN /${customers} c ON o.id = c.id WHERE ABS(c.tier) > 0`,
      `SELECT o.id FROM /${orders} o WHERE EXISTS (SELECT c FROM /${customers} c WHERE c.tier + o.id > 9)`,
    ];
    for (const text of texts) {
      assert.deepEqual((await fail(text)).entry, { region: customers, key: 'c2' }, text);
    }
  });

  it('is not named where no entry causes the failure', async () => {
    const { orders } = await regions();
    const texts = [
      `SELECT o.id FROM /${orders} o WHERE`,
      `SELECT COUNT(*) AS n, MAX(o.id) AS m FROM /${orders} o GROUP BY o.id HAVING 1 / (COUNT(*) - 1) > 0`,
    ];
    for (const text of texts) assert.equal((await fail(text)).entry, undefined, text);
  });
});
