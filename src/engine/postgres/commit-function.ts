// Commits a batch with one call of one function, so that it takes one round trip. The store locks,
// reads and writes. The caller decides which guard failed and what to answer, with the same code as
// in every other engine (`write-guards.ts`).
//
// A batch is a list of requests of one region each. No two of them share a key, so all guards can be
// tested against the entries before the batch.
//
//   p_heard     the last commit that this server has received
//   p_regions   per request: id of the region
//   p_first     per request: index of its first item, and after the last request the end
//   p_kinds     per item: 0 put, 1 remove, 2 look-up for a guard
//   p_guards    per guard: request, kind (0 all-present, 1 all-absent, 2 version-is,
//               3 version-is-not), item; `p_versions` has its versions
//
// A server that has not received the last alteration of a region is refused (GK002). It may not
// know that the region has a history, which `write-history.ts` writes, or a unique index, which the
// layers above the engine maintain.

import { ANSWER_TABLE, answerRow } from './commit-answer.ts';
import {
  COMMIT_PARAMETERS,
  COMMIT_VARIABLES,
  logWrites,
  putEntries,
  READ_ENTRIES,
  REQUIRE_INCARNATION,
  RETURN_COMMITS,
  removeEntries,
  returnEntries,
  returnLatest,
  TAKE_LOCK,
  testGuards,
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

export const COMMIT_BATCH: string = `
CREATE OR REPLACE FUNCTION ${FUNCTIONS.batch}(${COMMIT_PARAMETERS})
RETURNS TABLE (${ANSWER_TABLE}) LANGUAGE plpgsql AS $function$
#variable_conflict use_column
DECLARE
  ${COMMIT_VARIABLES}
  v_requests int := cardinality(p_regions);
  v_failed boolean[] := array_fill(false, ARRAY[v_requests]);
  v_sequence bigint[] := array_fill(NULL::bigint, ARRAY[v_requests]);
  v_end bigint[] := array_fill(NULL::bigint, ARRAY[v_requests]);
  v_any_removed boolean := false;
  v_count int;
BEGIN
  ${TAKE_LOCK}

  -- Puts of one entry each, without guards: by far the most frequent batch, in one statement.
  IF cardinality(p_versions) = 0 AND cardinality(p_keys) = v_requests AND 0 = ALL (p_kinds) THEN
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
    RETURN;
  END IF;

  ${READ_ENTRIES}

  ${testGuards({ kinds: 'p_kinds', request: 'v_write', isGone: 'v_data[r] IS NULL' })}

  FOR r IN 1 .. v_requests LOOP
    IF v_data[r] IS NULL THEN
      RETURN QUERY SELECT ${answerRow('gone', { request: 'r::bigint' })};
      v_failed[r] := true;
    ELSIF NOT v_failed[r] THEN
      v_count := 0;
      FOR i IN p_first[r] .. p_first[r + 1] - 1 LOOP
        IF p_kinds[i] = 0 OR (p_kinds[i] = 1 AND (v_empty[r] OR v_old_version[i] IS NOT NULL)) THEN
          v_count := v_count + 1;
        END IF;
        IF p_kinds[i] = 1 THEN v_any_removed := true; END IF;
      END LOOP;
      IF v_count > 0 THEN
        v_latest := v_latest + 1;
        v_position := v_position + v_count;
        v_sequence[r] := v_latest;
        v_end[r] := v_position;
      END IF;
    END IF;
  END LOOP;

  ${putEntries('p_kinds')}
  IF v_any_removed THEN
    ${removeEntries('p_kinds')}
    RETURN QUERY SELECT ${answerRow('unchanged', { ordinal: 'i.n' })}
      FROM unnest(v_of, p_kinds, v_old_version) WITH ORDINALITY i(request, kind, old, n)
      WHERE i.kind = 1 AND i.old IS NULL AND NOT v_empty[i.request] AND NOT v_failed[i.request];
  END IF;
  ${logWrites({ kinds: 'p_kinds', ordinal: '0', request: 'i.write' })}
  IF v_any_failed THEN
    RETURN QUERY SELECT ${answerRow('failed', { request: 'q.n' })}
      FROM unnest(v_failed, v_data) WITH ORDINALITY q(failed, data, n)
      WHERE q.failed AND q.data IS NOT NULL;
    ${returnEntries('entry', 'p_kinds', 'v_failed[i.write]')}
  END IF;
  ${returnLatest('v_latest', 'v_position')}
END $function$`;
