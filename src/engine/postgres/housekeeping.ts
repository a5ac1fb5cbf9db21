// Periodic work that any server may do: trimming the log, deleting the data of cleared and
// destroyed regions, renewing this server's heartbeat, removing servers that are gone.

import type { ClientBase } from 'pg';
import { queryRows } from './query-rows.ts';

/** Rows that one transaction removes: it delays commits by a few milliseconds at most. */
const TRIM_ROWS = 2000;
const DELETE_ROWS = 5000;
/** A server without a heartbeat for this long is not listed. */
const ALIVE_SECONDS = 10;
/** After this long its row is removed. It registers again when it comes back. */
const FORGET_SECONDS = 24 * 60 * 60;

/**
 * The counters of a region are those in `regions` plus those in the log. So the counters of a trimmed
 * row are added to `regions`. The last row stays, because it has the latest sequence.
 */
export const TRIM_CHANGES: string = `
CREATE OR REPLACE FUNCTION trim_changes_1(p_position bigint, p_age interval)
RETURNS bigint LANGUAGE plpgsql AS $function$
DECLARE v_cut bigint; v_rows bigint;
BEGIN
  PERFORM 1 FROM lock WHERE id = 1 FOR UPDATE;
  SELECT max(o.sequence) INTO v_cut FROM (
      SELECT c.sequence, c.position, c.at FROM changes c ORDER BY c.sequence, c.ordinal LIMIT ${TRIM_ROWS}) o
    WHERE (o.position <= p_position OR o.at < clock_timestamp() - p_age)
      AND o.sequence < (SELECT max(l.sequence) FROM changes l);
  IF v_cut IS NULL THEN RETURN 0; END IF;
  UPDATE regions r SET entry_count = r.entry_count + d.entries, value_bytes = r.value_bytes + d.bytes, base = v_cut
    FROM (SELECT c.region, sum(c.count_delta) AS entries, sum(c.bytes_delta) AS bytes
          FROM changes c JOIN regions g ON g.id = c.region
          WHERE c.sequence <= v_cut AND c.sequence > g.base GROUP BY c.region) d
    WHERE r.id = d.region;
  DELETE FROM changes WHERE sequence <= v_cut;
  GET DIAGNOSTICS v_rows = ROW_COUNT;
  RETURN v_rows;
END $function$`;

/** Trims one part of the log that is beyond its bounds; false when there is no more of it. */
export async function trimLog(
  client: ClientBase,
  toPosition: number,
  maxAgeMs: number,
): Promise<boolean> {
  const text = "SELECT trim_changes_1($1, $2 * interval '1 millisecond')";
  const [row] = await queryRows(client, { text, values: [toPosition, maxAgeMs] });
  return Number(row?.[0]) >= TRIM_ROWS;
}

/** Deletes one part of the entries of cleared and destroyed regions; false when there is no more. */
export async function deleteGarbage(client: ClientBase): Promise<boolean> {
  const { rows } = await client.query('SELECT data_id FROM garbage LIMIT 1');
  const dataId = rows[0]?.data_id;
  if (dataId === undefined) return false;
  const deleted = await client.query(
    `DELETE FROM entries WHERE ctid = ANY (ARRAY(
       SELECT ctid FROM entries WHERE region = $1 LIMIT ${DELETE_ROWS} FOR UPDATE SKIP LOCKED))`,
    [dataId],
  );
  if ((deleted.rowCount ?? 0) > 0) return true;
  await client.query(
    'DELETE FROM garbage WHERE data_id = $1 AND NOT EXISTS (SELECT FROM entries WHERE region = $1)',
    [dataId],
  );
  return true;
}

export async function beat(client: ClientBase, server: number, urls: string): Promise<void> {
  await client.query('UPDATE servers SET seen = clock_timestamp(), urls = $2 WHERE id = $1', [
    server,
    urls,
  ]);
}

export async function forgetServers(client: ClientBase): Promise<void> {
  await client.query(
    `DELETE FROM servers WHERE seen < clock_timestamp() - ${FORGET_SECONDS} * interval '1 second'`,
  );
}

/** Addresses of the servers that are alive, oldest first. */
export async function listAlive(client: ClientBase): Promise<readonly string[]> {
  const rows = await queryRows(client, {
    text: `SELECT urls FROM servers
           WHERE seen > clock_timestamp() - ${ALIVE_SECONDS} * interval '1 second' AND urls <> ''
           ORDER BY id`,
  });
  return [...new Set(rows.flatMap(([urls]) => (urls ?? '').split(' ')))];
}

/** Bytes of all tables. */
export async function readStoreBytes(client: ClientBase): Promise<number> {
  const [row] = await queryRows(client, {
    text: `SELECT sum(pg_total_relation_size(to_regclass(t)))
           FROM unnest(ARRAY['entries', 'changes', 'regions']) t`,
  });
  return Number(row?.[0] ?? 0);
}
