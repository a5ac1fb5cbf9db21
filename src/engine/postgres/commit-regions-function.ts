// The commit of a batch in which a request may write to several regions. It is the general part of
// `commit_batch` with one more level: a request is a list of writes of one region each, which share
// guards, sequence and fate.
//
//   p_requests  per write: number of its request, ascending
//   p_kinds     per item: 0 put, 1 remove, 2 look-up for a guard, 3 read as of the commit,
//               4 remove what has the version of the value `x<version>`, which the log keeps
//   p_guards    per guard: write, kind (as in `commit_batch`, and 4 present, 5 absent), item
//
// The other parameters are those of `commit_batch`, per write where that has them per request. The
// log gets one row for each write that changed something. All rows of a commit have its sequence
// and the position behind its last change, so that a log is never trimmed within a commit.

import { ANSWER, ANSWER_TABLE, LOG_COLUMNS } from './commit-function.ts';

export const COMMIT_REGIONS: string = `
CREATE OR REPLACE FUNCTION commit_regions_3(
  p_server bigint, p_incarnation bigint, p_batch bigint, p_heard bigint,
  p_regions bigint[], p_first bigint[], p_kinds bigint[], p_keys text[], p_values text[],
  p_guards bigint[], p_versions text[], p_requests bigint[])
RETURNS TABLE (${ANSWER_TABLE}) LANGUAGE plpgsql AS $function$
#variable_conflict use_column
DECLARE
  v_altered bigint;
  v_kinds bigint[] := p_kinds;
  v_latest bigint;
  v_position bigint;
  v_writes int := cardinality(p_regions);
  v_requests int := p_requests[cardinality(p_requests)];
  v_data bigint[];
  v_empty boolean[];
  v_names text[];
  v_of bigint[];        -- per item: its write
  v_old_version bigint[];
  v_old_bytes bigint[];
  v_failed boolean[] := array_fill(false, ARRAY[v_requests]);
  v_gone boolean[] := array_fill(false, ARRAY[v_requests]);
  v_changes int[] := array_fill(0, ARRAY[v_requests]);
  v_request_sequence bigint[] := array_fill(NULL::bigint, ARRAY[v_requests]);
  v_request_end bigint[] := array_fill(NULL::bigint, ARRAY[v_requests]);
  v_sequence bigint[] := array_fill(NULL::bigint, ARRAY[v_writes]);
  v_end bigint[] := array_fill(NULL::bigint, ARRAY[v_writes]);
  v_ordinal int[] := array_fill(0, ARRAY[v_writes]);
  v_version bigint;
  v_kind bigint;
  v_holds boolean;
  r int;
BEGIN
  SELECT altered INTO v_altered FROM lock WHERE id = 1 FOR UPDATE;
  IF v_altered > p_heard THEN RAISE EXCEPTION 'unheard' USING ERRCODE = 'GK002'; END IF;
  PERFORM 1 FROM servers WHERE id = p_server AND incarnation = p_incarnation;
  IF NOT FOUND THEN RAISE EXCEPTION 'fenced' USING ERRCODE = 'GK001'; END IF;
  SELECT c.sequence, c.position INTO v_latest, v_position
    FROM changes c ORDER BY c.sequence DESC, c.ordinal DESC LIMIT 1;
  v_latest := coalesce(v_latest, 0);
  v_position := coalesce(v_position, 0);
  IF v_latest > p_heard THEN
    RETURN QUERY SELECT ${ANSWER.commit}, ${LOG_COLUMNS} FROM changes c
      WHERE c.sequence > p_heard ORDER BY c.sequence, c.ordinal;
  END IF;

  SELECT array_agg(g.data_id ORDER BY q.n), array_agg(g.is_empty ORDER BY q.n),
         array_agg(g.name ORDER BY q.n)
    INTO v_data, v_empty, v_names
    FROM unnest(p_regions) WITH ORDINALITY q(id, n) LEFT JOIN regions g ON g.id = q.id;
  SELECT coalesce(array_agg(w.n ORDER BY w.n, i.n), '{}') INTO v_of
    FROM generate_series(1, v_writes) w(n),
         generate_series(p_first[w.n], p_first[w.n + 1] - 1) i(n);
  SELECT array_agg(e.version ORDER BY i.n), array_agg(e.bytes ORDER BY i.n)
    INTO v_old_version, v_old_bytes
    FROM unnest(v_of, p_keys) WITH ORDINALITY i(write, key, n)
    LEFT JOIN LATERAL (
      SELECT x.version, octet_length(x.value)::bigint AS bytes FROM entries x
      WHERE x.region = v_data[i.write] AND x.key = i.key LIMIT 1) e ON true;

  -- What is to expire goes when it has its version; then it is a removal, otherwise nothing.
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
      RETURN QUERY SELECT ${ANSWER.gone}, NULL::bigint, v_ordinal[w]::bigint, NULL::int, NULL::bigint, NULL, NULL,
        NULL, NULL::bigint, NULL::bigint, r::bigint, NULL::bigint, NULL::bigint, NULL::bigint;
    END IF;
  END LOOP;

  FOR g IN 1 .. cardinality(p_versions) LOOP
    r := p_requests[p_guards[3 * g - 2]];
    v_kind := p_guards[3 * g - 1];
    CONTINUE WHEN v_failed[r] OR v_gone[r];
    IF v_kind < 2 THEN
      v_holds := true;
      FOR i IN p_first[p_guards[3 * g - 2]] .. p_first[p_guards[3 * g - 2] + 1] - 1 LOOP
        CONTINUE WHEN v_kinds[i] > 1;
        IF (v_old_version[i] IS NULL) = (v_kind = 0) THEN v_holds := false; END IF;
      END LOOP;
    ELSE
      v_version := v_old_version[p_guards[3 * g]];
      v_holds := CASE v_kind
        WHEN 4 THEN v_version IS NOT NULL
        WHEN 5 THEN v_version IS NULL
        ELSE coalesce(v_version = ANY (string_to_array(p_versions[g], ',')::bigint[]), false) = (v_kind = 2)
      END;
    END IF;
    IF NOT v_holds THEN v_failed[r] := true; END IF;
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
  DELETE FROM entries t USING unnest(v_of, v_kinds, p_keys) i(write, kind, key)
    WHERE i.kind = 1 AND v_sequence[i.write] IS NOT NULL
      AND t.region = v_data[i.write] AND t.key = i.key;
  RETURN QUERY SELECT ${ANSWER.unchanged}, NULL::bigint, i.n, NULL::int, NULL::bigint, NULL, NULL, NULL,
      NULL::bigint, NULL::bigint, NULL::bigint, NULL::bigint, NULL::bigint, NULL::bigint
    FROM unnest(v_of, v_kinds, v_old_version) WITH ORDINALITY i(write, kind, old, n)
    WHERE (i.kind = 1 AND i.old IS NULL AND NOT v_empty[i.write]) OR i.kind = 5;

  RETURN QUERY
    WITH logged AS (
      INSERT INTO changes AS c (sequence, ordinal, kind, region, name, keys, vals, server, batch,
                                request_number, at, count_delta, bytes_delta, position)
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
        RETURNING c.sequence, c.ordinal, c.request_number, c.count_delta, c.bytes_delta)
    SELECT ${ANSWER.done}, l.sequence, l.ordinal::bigint, NULL::int, NULL::bigint, NULL, NULL, NULL, NULL::bigint,
           NULL::bigint, l.request_number, l.count_delta, l.bytes_delta, NULL::bigint
      FROM logged l ORDER BY l.sequence, l.ordinal;

  RETURN QUERY SELECT ${ANSWER.read}, e.version, i.n, NULL::int, NULL::bigint, NULL, NULL, e.value,
      NULL::bigint, NULL::bigint, NULL::bigint, NULL::bigint, NULL::bigint, NULL::bigint
    FROM unnest(v_of, v_kinds, p_keys) WITH ORDINALITY i(write, kind, key, n)
    JOIN LATERAL (SELECT x.version, x.value FROM entries x
      WHERE x.region = v_data[i.write] AND x.key = i.key LIMIT 1) e ON true
    WHERE i.kind = 3;
  RETURN QUERY SELECT ${ANSWER.failed}, NULL::bigint, NULL::bigint, NULL::int, NULL::bigint, NULL, NULL, NULL,
      NULL::bigint, NULL::bigint, q.n, NULL::bigint, NULL::bigint, NULL::bigint
    FROM unnest(v_failed) WITH ORDINALITY q(failed, n) WHERE q.failed;
  RETURN QUERY SELECT ${ANSWER.entry}, e.version, i.n, NULL::int, NULL::bigint, NULL, NULL, e.value,
      NULL::bigint, NULL::bigint, NULL::bigint, NULL::bigint, NULL::bigint, NULL::bigint
    FROM unnest(v_of, p_keys) WITH ORDINALITY i(write, key, n)
    JOIN LATERAL (SELECT x.version, x.value FROM entries x
      WHERE x.region = v_data[i.write] AND x.key = i.key LIMIT 1) e ON true
    WHERE v_failed[p_requests[i.write]];
  RETURN QUERY SELECT ${ANSWER.latest}, v_latest, NULL::bigint, NULL::int, NULL::bigint, NULL, NULL, NULL,
    NULL::bigint, NULL::bigint, NULL::bigint, NULL::bigint, NULL::bigint, v_position;
END $function$`;
