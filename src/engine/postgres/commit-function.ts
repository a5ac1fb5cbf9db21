// The commit of a batch as one call of one function, so that it takes one round trip. Locks,
// reads and writes happen in the store; which guard failed, and what to answer, is decided by
// the caller with the same code as in every other engine (`write-guards.ts`).
//
// A batch is a list of requests of one region each. No two of them name a key in common, so all
// guards can be tested against the entries as they are before the batch.
//
//   p_regions   per request: id of the region
//   p_first     per request: place of its first item, and behind the last request the end
//   p_kinds     per item: 0 put, 1 remove, 2 look-up for a guard
//   p_guards    per guard: request, kind (0 all-present, 1 all-absent, 2 version-is,
//               3 version-is-not), item; `p_versions` has its versions
//
// The lock is taken by a statement of its own: at READ COMMITTED the statements behind it see
// every commit made before. A single statement would test guards on stale entries.
//
// A server that has not heard of the last alteration of a region is refused (GK002): it may not know
// that the past of the region is to be kept, which is done beside these functions (`past-writer.ts`).

/** Rows of a `changes` table as `change-log.ts` reads them. */
export const LOG_COLUMNS: string = `c.sequence, c.ordinal::bigint, c.kind, c.region, c.name,
  array_to_json(c.keys)::text, array_to_string(c.vals, E'\\n', ''),
  c.server, c.batch, c.request_number, c.count_delta, c.bytes_delta, c.position`;

/** What a row of the answer tells; the members that matter stand behind it. */
export const ANSWER = {
  /** A commit of another server: all columns of the log. */
  commit: 1,
  /** A request was committed: sequence, request, count_delta, bytes_delta; ordinal of the write in a commit. */
  done: 2,
  /** A guard of the request failed: request. */
  failed: 3,
  /** An entry as it is, of a request whose guard failed: ordinal (item), sequence (version), vals. */
  entry: 4,
  /** The removal of an absent entry: ordinal (item). */
  unchanged: 5,
  /** The region of the request is gone: request. */
  gone: 6,
  /** The last row: sequence and position of the latest commit. */
  latest: 7,
  /** An entry as of the commit that reads it: ordinal (item), sequence (version), vals. */
  read: 8,
} as const;

export const ANSWER_TABLE: string = `what int, sequence bigint, ordinal bigint, kind int, region bigint, name text,
  keys text, vals text, server bigint, batch bigint, request bigint,
  count_delta bigint, bytes_delta bigint, "position" bigint`;

/** Takes the lock and tells the commits behind `p_heard`; raises when this server was fenced. */
export const BEGIN_COMMIT: string = `
CREATE OR REPLACE FUNCTION begin_commit_3(p_server bigint, p_incarnation bigint, p_heard bigint)
RETURNS TABLE (${ANSWER_TABLE}) LANGUAGE plpgsql AS $function$
#variable_conflict use_column
BEGIN
  PERFORM 1 FROM lock WHERE id = 1 FOR UPDATE;
  PERFORM 1 FROM servers WHERE id = p_server AND incarnation = p_incarnation;
  IF NOT FOUND THEN RAISE EXCEPTION 'fenced' USING ERRCODE = 'GK001'; END IF;
  RETURN QUERY SELECT ${ANSWER.commit}, ${LOG_COLUMNS} FROM changes c
    WHERE c.sequence > p_heard ORDER BY c.sequence, c.ordinal;
END $function$`;

export const COMMIT_BATCH: string = `
CREATE OR REPLACE FUNCTION commit_batch_3(
  p_server bigint, p_incarnation bigint, p_batch bigint, p_heard bigint,
  p_regions bigint[], p_first bigint[], p_kinds bigint[], p_keys text[], p_values text[],
  p_guards bigint[], p_versions text[])
RETURNS TABLE (${ANSWER_TABLE}) LANGUAGE plpgsql AS $function$
#variable_conflict use_column
DECLARE
  v_altered bigint;
  v_latest bigint;
  v_position bigint;
  v_requests int := cardinality(p_regions);
  v_data bigint[];
  v_empty boolean[];
  v_names text[];
  v_of bigint[];        -- per item: its request
  v_old_version bigint[];
  v_old_bytes bigint[];
  v_failed boolean[] := array_fill(false, ARRAY[v_requests]);
  v_sequence bigint[] := array_fill(NULL::bigint, ARRAY[v_requests]);
  v_end bigint[] := array_fill(NULL::bigint, ARRAY[v_requests]);
  v_any_failed boolean := false;
  v_any_removed boolean := false;
  v_holds boolean;
  v_count int;
  v_item int;
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
        INSERT INTO changes AS c (sequence, ordinal, kind, region, name, keys, vals, server, batch, request_number,
                                  at, count_delta, bytes_delta, position)
          SELECT v_latest + place, 0, 0, region, name, ARRAY[key], ARRAY[value], p_server, p_batch, n,
                 clock_timestamp(), CASE WHEN is_empty OR bytes IS NOT NULL THEN 0 ELSE 1 END,
                 CASE WHEN is_empty THEN 0 ELSE octet_length(value) - coalesce(bytes, 0) END,
                 v_position + place
            FROM item
          RETURNING c.sequence, c.request_number, c.count_delta, c.bytes_delta)
      SELECT ${ANSWER.done}, l.sequence, NULL::bigint, NULL::int, NULL::bigint, NULL, NULL, NULL, NULL::bigint,
             NULL::bigint, l.request_number, l.count_delta, l.bytes_delta, NULL::bigint
        FROM logged l;
    GET DIAGNOSTICS v_count = ROW_COUNT;
    IF v_count < v_requests THEN
      RETURN QUERY SELECT ${ANSWER.gone}, NULL::bigint, NULL::bigint, NULL::int, NULL::bigint, NULL, NULL,
          NULL, NULL::bigint, NULL::bigint, q.n, NULL::bigint, NULL::bigint, NULL::bigint
        FROM unnest(p_regions) WITH ORDINALITY q(id, n)
        WHERE NOT EXISTS (SELECT FROM regions g WHERE g.id = q.id);
    END IF;
    RETURN QUERY SELECT ${ANSWER.latest}, v_latest + v_count, NULL::bigint, NULL::int, NULL::bigint, NULL, NULL,
      NULL, NULL::bigint, NULL::bigint, NULL::bigint, NULL::bigint, NULL::bigint, v_position + v_count;
    RETURN;
  END IF;

  SELECT array_agg(g.data_id ORDER BY q.n), array_agg(g.is_empty ORDER BY q.n),
         array_agg(g.name ORDER BY q.n)
    INTO v_data, v_empty, v_names
    FROM unnest(p_regions) WITH ORDINALITY q(id, n) LEFT JOIN regions g ON g.id = q.id;
  SELECT array_agg(q.n ORDER BY q.n, i.n) INTO v_of
    FROM generate_series(1, v_requests) q(n),
         generate_series(p_first[q.n], p_first[q.n + 1] - 1) i(n);
  SELECT array_agg(e.version ORDER BY i.n), array_agg(e.bytes ORDER BY i.n)
    INTO v_old_version, v_old_bytes
    FROM unnest(v_of, p_keys) WITH ORDINALITY i(request, key, n)
    LEFT JOIN LATERAL (
      SELECT x.version, octet_length(x.value)::bigint AS bytes FROM entries x
      WHERE x.region = v_data[i.request] AND x.key = i.key LIMIT 1) e ON true;

  FOR g IN 1 .. cardinality(p_versions) LOOP
    r := p_guards[3 * g - 2];
    CONTINUE WHEN v_failed[r] OR v_data[r] IS NULL;
    IF p_guards[3 * g - 1] < 2 THEN
      v_holds := true;
      FOR i IN p_first[r] .. p_first[r + 1] - 1 LOOP
        CONTINUE WHEN p_kinds[i] = 2;
        IF (v_old_version[i] IS NULL) = (p_guards[3 * g - 1] = 0) THEN v_holds := false; END IF;
      END LOOP;
    ELSE
      v_item := p_guards[3 * g];
      v_holds := coalesce(v_old_version[v_item] = ANY (string_to_array(p_versions[g], ',')::bigint[]), false)
        = (p_guards[3 * g - 1] = 2);
    END IF;
    IF NOT v_holds THEN v_failed[r] := true; v_any_failed := true; END IF;
  END LOOP;

  FOR r IN 1 .. v_requests LOOP
    IF v_data[r] IS NULL THEN
      RETURN QUERY SELECT ${ANSWER.gone}, NULL::bigint, NULL::bigint, NULL::int, NULL::bigint, NULL, NULL,
        NULL, NULL::bigint, NULL::bigint, r::bigint, NULL::bigint, NULL::bigint, NULL::bigint;
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

  INSERT INTO entries AS t (region, key, version, value)
    SELECT v_data[i.request], i.key, v_sequence[i.request], i.value
      FROM unnest(v_of, p_kinds, p_keys, p_values) i(request, kind, key, value)
      WHERE i.kind = 0 AND v_sequence[i.request] IS NOT NULL AND NOT v_empty[i.request]
    ON CONFLICT (region, key) DO UPDATE SET version = excluded.version, value = excluded.value;
  IF v_any_removed THEN
    DELETE FROM entries t USING unnest(v_of, p_kinds, p_keys) i(request, kind, key)
      WHERE i.kind = 1 AND v_sequence[i.request] IS NOT NULL
        AND t.region = v_data[i.request] AND t.key = i.key;
    RETURN QUERY SELECT ${ANSWER.unchanged}, NULL::bigint, i.n, NULL::int, NULL::bigint, NULL, NULL, NULL,
        NULL::bigint, NULL::bigint, NULL::bigint, NULL::bigint, NULL::bigint, NULL::bigint
      FROM unnest(v_of, p_kinds, v_old_version) WITH ORDINALITY i(request, kind, old, n)
      WHERE i.kind = 1 AND i.old IS NULL AND NOT v_empty[i.request] AND NOT v_failed[i.request];
  END IF;

  RETURN QUERY
    WITH logged AS (
      INSERT INTO changes AS c (sequence, ordinal, kind, region, name, keys, vals, server, batch, request_number,
                                at, count_delta, bytes_delta, position)
        SELECT v_sequence[i.request], 0, 0, p_regions[i.request], v_names[i.request],
               array_agg(i.key ORDER BY i.n), array_agg(i.value ORDER BY i.n),
               p_server, p_batch, i.request, clock_timestamp(),
               CASE WHEN v_empty[i.request] THEN 0 ELSE
                 count(*) FILTER (WHERE i.kind = 0 AND i.old IS NULL) - count(*) FILTER (WHERE i.kind = 1) END,
               CASE WHEN v_empty[i.request] THEN 0 ELSE
                 coalesce(sum(octet_length(i.value)), 0) - coalesce(sum(i.old_bytes), 0) END,
               v_end[i.request]
          FROM unnest(v_of, p_kinds, p_keys, p_values, v_old_version, v_old_bytes)
               WITH ORDINALITY i(request, kind, key, value, old, old_bytes, n)
          WHERE v_sequence[i.request] IS NOT NULL
            AND (i.kind = 0 OR (i.kind = 1 AND (v_empty[i.request] OR i.old IS NOT NULL)))
          GROUP BY i.request
        RETURNING c.sequence, c.request_number, c.count_delta, c.bytes_delta)
    SELECT ${ANSWER.done}, l.sequence, NULL::bigint, NULL::int, NULL::bigint, NULL, NULL, NULL, NULL::bigint,
           NULL::bigint, l.request_number, l.count_delta, l.bytes_delta, NULL::bigint
      FROM logged l ORDER BY l.sequence;

  IF v_any_failed THEN
    RETURN QUERY SELECT ${ANSWER.failed}, NULL::bigint, NULL::bigint, NULL::int, NULL::bigint, NULL, NULL, NULL,
        NULL::bigint, NULL::bigint, q.n, NULL::bigint, NULL::bigint, NULL::bigint
      FROM unnest(v_failed, v_data) WITH ORDINALITY q(failed, data, n)
      WHERE q.failed AND q.data IS NOT NULL;
    RETURN QUERY SELECT ${ANSWER.entry}, e.version, i.n, NULL::int, NULL::bigint, NULL, NULL, e.value,
        NULL::bigint, NULL::bigint, i.request, NULL::bigint, NULL::bigint, NULL::bigint
      FROM unnest(v_of, p_keys) WITH ORDINALITY i(request, key, n)
      JOIN LATERAL (SELECT x.version, x.value FROM entries x
        WHERE x.region = v_data[i.request] AND x.key = i.key LIMIT 1) e ON true
      WHERE v_failed[i.request];
  END IF;
  RETURN QUERY SELECT ${ANSWER.latest}, v_latest, NULL::bigint, NULL::int, NULL::bigint, NULL, NULL, NULL,
    NULL::bigint, NULL::bigint, NULL::bigint, NULL::bigint, NULL::bigint, v_position;
END $function$`;
