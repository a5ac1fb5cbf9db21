// Commits a batch of puts of one entry each, without guards: by far the most frequent batch, in one
// statement. One call commits it, so that it takes one round trip. The parameters are those of
// `commit-regions-function.ts`, with a write per request; that commits all other batches.
//
// A server that has not received the last alteration of a region is refused (GK002). It may not
// know that the region has a history, which `write-history.ts` writes, or a unique index, which the
// layers above the engine maintain.

import { ANSWER_TABLE, answerRow } from './commit-answer.ts';
import {
  COMMIT_PARAMETERS,
  LOCK_VARIABLES,
  REQUIRE_INCARNATION,
  RETURN_COMMITS,
  returnLatest,
  TAKE_LOCK,
} from './commit-statements.ts';
import { FUNCTIONS } from './store-format.ts';

/** Takes the lock and returns the commits after `p_heard`; raises when this server was fenced. */
export const BEGIN_COMMIT: string = `
CREATE OR REPLACE FUNCTION ${FUNCTIONS.begin}(p_server bigint, p_incarnation bigint, p_heard bigint)
RETURNS TABLE (${ANSWER_TABLE}) LANGUAGE plpgsql AS $function$
#variable_conflict use_column
BEGIN
  PERFORM 1 FROM lock WHERE id = 1 FOR UPDATE;
  ${REQUIRE_INCARNATION}
  ${RETURN_COMMITS}
END $function$`;

const PUT_DONE = answerRow('done', {
  sequence: 'l.sequence',
  request: 'l.request_in_batch',
  count_delta: 'l.count_delta',
  bytes_delta: 'l.bytes_delta',
});

/** Earlier servers of this format also call it with guards, removals and several items. */
export const COMMIT_BATCH: string = `
CREATE OR REPLACE FUNCTION ${FUNCTIONS.batch}(${COMMIT_PARAMETERS})
RETURNS TABLE (${ANSWER_TABLE}) LANGUAGE plpgsql AS $function$
#variable_conflict use_column
DECLARE
  ${LOCK_VARIABLES}
  v_requests int := cardinality(p_regions);
  v_count int;
BEGIN
  IF cardinality(p_versions) > 0 OR cardinality(p_keys) <> v_requests OR 0 <> ANY (p_kinds) THEN
    RETURN QUERY SELECT * FROM ${FUNCTIONS.regions}(
      p_server, p_incarnation, p_batch, p_heard, p_regions, p_first, p_kinds, p_keys, p_values,
      p_guards, p_versions, ARRAY(SELECT n::bigint FROM generate_series(1, v_requests) n));
    RETURN;
  END IF;
  ${TAKE_LOCK}

  RETURN QUERY
    WITH item AS MATERIALIZED (
      SELECT i.n, i.region, i.key, i.value, g.data_id, g.is_empty, g.name, e.bytes,
             row_number() OVER (ORDER BY i.n) AS place
        FROM unnest(p_regions, p_keys, p_values) WITH ORDINALITY i(region, key, value, n)
        JOIN regions g ON g.id = i.region
        LEFT JOIN LATERAL (
          SELECT octet_length(x.value)::bigint AS bytes FROM entries x
          WHERE x.region = g.data_id AND x.key = i.key LIMIT 1) e ON true),
    stored AS (
      INSERT INTO entries (region, key, version, value)
        SELECT data_id, key, v_latest + place, value FROM item WHERE NOT is_empty
        ON CONFLICT (region, key) DO UPDATE SET version = excluded.version, value = excluded.value),
    logged AS (
      INSERT INTO changes AS c (sequence, ordinal, kind, region, name, keys, vals, server, batch, request_in_batch,
                                at, count_delta, bytes_delta, position)
        SELECT v_latest + place, 0, 0, region, name, ARRAY[key], ARRAY[value], p_server, p_batch, n,
               clock_timestamp(), CASE WHEN is_empty OR bytes IS NOT NULL THEN 0 ELSE 1 END,
               CASE WHEN is_empty THEN 0 ELSE octet_length(value) - coalesce(bytes, 0) END,
               v_position + place
          FROM item
        RETURNING c.sequence, c.request_in_batch, c.count_delta, c.bytes_delta)
    SELECT ${PUT_DONE}
      FROM logged l;
  GET DIAGNOSTICS v_count = ROW_COUNT;
  IF v_count < v_requests THEN
    RETURN QUERY SELECT ${answerRow('gone', { request: 'q.n' })}
      FROM unnest(p_regions) WITH ORDINALITY q(id, n)
      WHERE NOT EXISTS (SELECT FROM regions g WHERE g.id = q.id);
  END IF;
  ${returnLatest('v_latest + v_count', 'v_position + v_count')}
END $function$`;
