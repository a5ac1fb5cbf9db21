// Commits a batch in which a request may have guards, and several changes in several regions. A
// request is a list of writes of one region each. They share guards and sequence, and are committed
// or refused together. `p_kinds`, `p_keys` and `p_values` list the items of all writes, one after
// another.
//
//   p_heard     the last commit that this server has received
//   p_regions   per write: id of the region
//   p_first     per write: index of its first item, and after the last write the end
//   p_kinds     per item: 0 put, 1 remove, 2 look-up for a guard, 3 read as of the commit,
//               4 expire: remove the entry if it has the version in the value `x<version>`, which is
//               logged. `v_kinds` has 1 in its place, or 5 if the entry has another version
//   p_guards    per guard: write, kind (0 all-present, 1 all-absent, 2 version-is, 3 version-is-not,
//               4 present, 5 absent), item; `p_versions` has its versions
//   p_requests  per write: number of its request, ascending
//
//   v_data, v_empty, v_names     per write: where the region keeps its entries, whether it keeps none, its name
//   v_of                         per item: its write
//   v_old_version, v_old_bytes   per item: the entry before the batch
//   v_failed                     per request: whether one of its guards failed
//   v_sequence, v_end            per write: its commit and the position after it; NULL where nothing changes
//
// No two requests share a key, so all guards are tested against the entries before the batch. The
// caller decides which guard failed and what to answer, with the same code as in every other engine
// (`write-guards.ts`).
//
// The log gets one row for each write that changed something. All rows of a commit have its sequence
// and the position after its last change, so that a log is never trimmed within a commit.

import { ANSWER_TABLE, answerRow } from './commit-answer.ts';
import { COMMIT_PARAMETERS, LOCK_VARIABLES, returnLatest, TAKE_LOCK } from './commit-statements.ts';
import { FUNCTIONS } from './store-format.ts';

const DONE = answerRow('done', {
  sequence: 'l.sequence',
  ordinal: 'l.ordinal::bigint',
  request: 'l.request_in_batch',
  count_delta: 'l.count_delta',
  bytes_delta: 'l.bytes_delta',
});

export const COMMIT_REGIONS: string = `
CREATE OR REPLACE FUNCTION ${FUNCTIONS.regions}(${COMMIT_PARAMETERS}, p_requests bigint[])
RETURNS TABLE (${ANSWER_TABLE}) LANGUAGE plpgsql AS $function$
#variable_conflict use_column
DECLARE
  ${LOCK_VARIABLES}
  v_data bigint[];
  v_empty boolean[];
  v_names text[];
  v_of bigint[];
  v_old_version bigint[];
  v_old_bytes bigint[];
  v_any_failed boolean := false;
  v_guard bigint;
  v_version bigint;
  v_holds boolean;
  v_write int;
  r int;
  v_kinds bigint[] := p_kinds;
  v_writes int := cardinality(p_regions);
  v_requests int := p_requests[cardinality(p_requests)];
  v_failed boolean[] := array_fill(false, ARRAY[v_requests]);
  v_gone boolean[] := array_fill(false, ARRAY[v_requests]);
  v_changes int[] := array_fill(0, ARRAY[v_requests]);
  v_request_sequence bigint[] := array_fill(NULL::bigint, ARRAY[v_requests]);
  v_request_end bigint[] := array_fill(NULL::bigint, ARRAY[v_requests]);
  v_sequence bigint[] := array_fill(NULL::bigint, ARRAY[v_writes]);
  v_end bigint[] := array_fill(NULL::bigint, ARRAY[v_writes]);
  v_ordinal int[] := array_fill(0, ARRAY[v_writes]);
BEGIN
  ${TAKE_LOCK}

  -- Regions and entries as they are before the batch.
  SELECT array_agg(g.data_id ORDER BY q.n), array_agg(g.is_empty ORDER BY q.n),
         array_agg(g.name ORDER BY q.n)
    INTO v_data, v_empty, v_names
    FROM unnest(p_regions) WITH ORDINALITY q(id, n) LEFT JOIN regions g ON g.id = q.id;
  SELECT coalesce(array_agg(w.n ORDER BY w.n, i.n), '{}') INTO v_of
    FROM generate_series(1, cardinality(p_regions)) w(n),
         generate_series(p_first[w.n], p_first[w.n + 1] - 1) i(n);
  SELECT array_agg(e.version ORDER BY i.n), array_agg(e.bytes ORDER BY i.n)
    INTO v_old_version, v_old_bytes
    FROM unnest(v_of, p_keys) WITH ORDINALITY i(write, key, n)
    LEFT JOIN LATERAL (
      SELECT x.version, octet_length(x.value)::bigint AS bytes FROM entries x
      WHERE x.region = v_data[i.write] AND x.key = i.key LIMIT 1) e ON true;

  -- An expiry removes an entry that has its version, and changes nothing otherwise.
  IF 4 = ANY (p_kinds) THEN
    FOR i IN 1 .. cardinality(p_kinds) LOOP
      CONTINUE WHEN p_kinds[i] <> 4;
      v_kinds[i] := CASE WHEN v_old_version[i] = substr(p_values[i], 2)::bigint THEN 1 ELSE 5 END;
    END LOOP;
  END IF;

  FOR w IN 1 .. v_writes LOOP
    r := p_requests[w];
    IF w > 1 AND p_requests[w - 1] = r THEN v_ordinal[w] := v_ordinal[w - 1] + 1; END IF;
    IF v_data[w] IS NULL AND NOT v_gone[r] THEN
      v_gone[r] := true;
      RETURN QUERY SELECT ${answerRow('gone', { ordinal: 'v_ordinal[w]::bigint', request: 'r::bigint' })};
    END IF;
  END LOOP;

  -- Guards of all keys concern puts and removals.
  FOR g IN 1 .. cardinality(p_versions) LOOP
    v_write := p_guards[3 * g - 2];
    r := p_requests[v_write];
    CONTINUE WHEN v_failed[r] OR v_gone[r];
    v_guard := p_guards[3 * g - 1];
    IF v_guard < 2 THEN
      v_holds := true;
      FOR i IN p_first[v_write] .. p_first[v_write + 1] - 1 LOOP
        CONTINUE WHEN v_kinds[i] > 1;
        IF (v_old_version[i] IS NULL) = (v_guard = 0) THEN v_holds := false; END IF;
      END LOOP;
    ELSE
      v_version := v_old_version[p_guards[3 * g]];
      v_holds := CASE v_guard
        WHEN 4 THEN v_version IS NOT NULL
        WHEN 5 THEN v_version IS NULL
        ELSE coalesce(v_version = ANY (string_to_array(p_versions[g], ',')::bigint[]), false) = (v_guard = 2)
      END;
    END IF;
    IF NOT v_holds THEN v_failed[r] := true; v_any_failed := true; END IF;
  END LOOP;

  FOR w IN 1 .. v_writes LOOP
    r := p_requests[w];
    CONTINUE WHEN v_failed[r] OR v_gone[r];
    FOR i IN p_first[w] .. p_first[w + 1] - 1 LOOP
      IF v_kinds[i] = 0 OR (v_kinds[i] = 1 AND (v_empty[w] OR v_old_version[i] IS NOT NULL)) THEN
        v_changes[r] := v_changes[r] + 1;
      END IF;
    END LOOP;
  END LOOP;
  FOR r IN 1 .. v_requests LOOP
    CONTINUE WHEN v_changes[r] = 0;
    v_latest := v_latest + 1;
    v_position := v_position + v_changes[r];
    v_request_sequence[r] := v_latest;
    v_request_end[r] := v_position;
  END LOOP;
  FOR w IN 1 .. v_writes LOOP
    v_sequence[w] := v_request_sequence[p_requests[w]];
    v_end[w] := v_request_end[p_requests[w]];
  END LOOP;

  INSERT INTO entries AS t (region, key, version, value)
    SELECT v_data[i.write], i.key, v_sequence[i.write], i.value
      FROM unnest(v_of, v_kinds, p_keys, p_values) i(write, kind, key, value)
      WHERE i.kind = 0 AND v_sequence[i.write] IS NOT NULL AND NOT v_empty[i.write]
    ON CONFLICT (region, key) DO UPDATE SET version = excluded.version, value = excluded.value;
  IF v_kinds && '{1, 5}' THEN
    DELETE FROM entries t USING unnest(v_of, v_kinds, p_keys) i(write, kind, key)
      WHERE i.kind = 1 AND v_sequence[i.write] IS NOT NULL
        AND t.region = v_data[i.write] AND t.key = i.key;
    RETURN QUERY SELECT ${answerRow('unchanged', { ordinal: 'i.n' })}
      FROM unnest(v_of, v_kinds, v_old_version) WITH ORDINALITY i(write, kind, old, n)
      WHERE (i.kind = 1 AND i.old IS NULL AND NOT v_empty[i.write]) OR i.kind = 5;
  END IF;
  RETURN QUERY
    WITH logged AS (
      INSERT INTO changes AS c (sequence, ordinal, kind, region, name, keys, vals, server, batch,
                                request_in_batch, at, count_delta, bytes_delta, position)
        SELECT v_sequence[i.write], v_ordinal[i.write], 0, p_regions[i.write], v_names[i.write],
               array_agg(i.key ORDER BY i.n), array_agg(i.value ORDER BY i.n),
               p_server, p_batch, p_requests[i.write], clock_timestamp(),
               CASE WHEN v_empty[i.write] THEN 0 ELSE
                 count(*) FILTER (WHERE i.kind = 0 AND i.old IS NULL) - count(*) FILTER (WHERE i.kind = 1) END,
               CASE WHEN v_empty[i.write] THEN 0 ELSE
                 coalesce(sum(octet_length(i.value)) FILTER (WHERE i.kind = 0), 0) - coalesce(sum(i.old_bytes), 0) END,
               v_end[i.write]
          FROM unnest(v_of, v_kinds, p_keys, p_values, v_old_version, v_old_bytes)
               WITH ORDINALITY i(write, kind, key, value, old, old_bytes, n)
          WHERE v_sequence[i.write] IS NOT NULL
            AND (i.kind = 0 OR (i.kind = 1 AND (v_empty[i.write] OR i.old IS NOT NULL)))
          GROUP BY i.write
        RETURNING c.sequence, c.ordinal, c.request_in_batch, c.count_delta, c.bytes_delta)
    SELECT ${DONE}
      FROM logged l ORDER BY l.sequence, l.ordinal;
  IF 3 = ANY (v_kinds) THEN ${returnEntries('read', 'i.kind = 3')}
  END IF;
  IF v_any_failed THEN
    RETURN QUERY SELECT ${answerRow('failed', { request: 'q.n' })}
      FROM unnest(v_failed) WITH ORDINALITY q(failed, n) WHERE q.failed;
    ${returnEntries('entry', 'v_failed[p_requests[i.write]]')}
  END IF;
  ${returnLatest('v_latest', 'v_position')}
END $function$`;

/** Returns the current entries of the items that meet `condition`. */
function returnEntries(what: 'entry' | 'read', condition: string): string {
  const row = answerRow(what, { sequence: 'e.version', ordinal: 'i.n', vals: 'e.value' });
  return `
    RETURN QUERY SELECT ${row}
      FROM unnest(v_of, v_kinds, p_keys) WITH ORDINALITY i(write, kind, key, n)
      JOIN LATERAL (SELECT x.version, x.value FROM entries x
        WHERE x.region = v_data[i.write] AND x.key = i.key LIMIT 1) e ON true
      WHERE ${condition};`;
}
