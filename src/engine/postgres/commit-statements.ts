// Statements that the commit functions share. A write is the part of a request that concerns one
// region. `p_kinds`, `p_keys` and `p_values` list the items of all writes, one after another.
//
//   v_data, v_empty, v_names     per write: where the region keeps its entries, whether it keeps none, its name
//   v_of                         per item: its write
//   v_old_version, v_old_bytes   per item: the entry before the batch
//   v_failed                     per request: whether one of its guards failed
//   v_sequence, v_end            per write: its commit and the position after it; NULL where nothing changes

import { ANSWER, answerRow, LOG_COLUMNS } from './commit-answer.ts';

export const COMMIT_PARAMETERS: string = `
  p_server bigint, p_incarnation bigint, p_batch bigint, p_heard bigint,
  p_regions bigint[], p_first bigint[], p_kinds bigint[], p_keys text[], p_values text[],
  p_guards bigint[], p_versions text[]`;

export const COMMIT_VARIABLES: string = `
  v_altered bigint;
  v_latest bigint;
  v_position bigint;
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
  r int;`;

/** Raises when this server was fenced. */
export const REQUIRE_INCARNATION: string = `
  PERFORM 1 FROM servers WHERE id = p_server AND incarnation = p_incarnation;
  IF NOT FOUND THEN RAISE EXCEPTION 'fenced' USING ERRCODE = 'GK001'; END IF;`;

/** Returns the commits that this server has not received. */
export const RETURN_COMMITS: string = `
    RETURN QUERY SELECT ${ANSWER.commit}, ${LOG_COLUMNS} FROM changes c
      WHERE c.sequence > p_heard ORDER BY c.sequence, c.ordinal;`;

/**
 * A separate statement takes the lock: at READ COMMITTED the statements after it see every earlier
 * commit. A single statement would test guards on stale entries.
 */
export const TAKE_LOCK: string = `
  SELECT altered INTO v_altered FROM lock WHERE id = 1 FOR UPDATE;
  IF v_altered > p_heard THEN RAISE EXCEPTION 'unheard' USING ERRCODE = 'GK002'; END IF;
  ${REQUIRE_INCARNATION}
  SELECT c.sequence, c.position INTO v_latest, v_position
    FROM changes c ORDER BY c.sequence DESC, c.ordinal DESC LIMIT 1;
  v_latest := coalesce(v_latest, 0);
  v_position := coalesce(v_position, 0);
  IF v_latest > p_heard THEN ${RETURN_COMMITS}
  END IF;`;

/** Reads regions and entries as they are before the batch. */
export const READ_ENTRIES: string = `
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
      WHERE x.region = v_data[i.write] AND x.key = i.key LIMIT 1) e ON true;`;

/**
 * Tests all guards against the entries before the batch. `request` is that of `v_write`; nothing is
 * tested of a request `r` that meets `isGone`. Guards of all keys concern puts and removals. The
 * `commit_batch` of older stores does not know the kinds 4 and 5, so it is called without them.
 */
export function testGuards(parts: {
  readonly kinds: string;
  readonly request: string;
  readonly isGone: string;
}): string {
  return `
  FOR g IN 1 .. cardinality(p_versions) LOOP
    v_write := p_guards[3 * g - 2];
    r := ${parts.request};
    CONTINUE WHEN v_failed[r] OR ${parts.isGone};
    v_guard := p_guards[3 * g - 1];
    IF v_guard < 2 THEN
      v_holds := true;
      FOR i IN p_first[v_write] .. p_first[v_write + 1] - 1 LOOP
        CONTINUE WHEN ${parts.kinds}[i] > 1;
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
  END LOOP;`;
}

export function putEntries(kinds: string): string {
  return `
  INSERT INTO entries AS t (region, key, version, value)
    SELECT v_data[i.write], i.key, v_sequence[i.write], i.value
      FROM unnest(v_of, ${kinds}, p_keys, p_values) i(write, kind, key, value)
      WHERE i.kind = 0 AND v_sequence[i.write] IS NOT NULL AND NOT v_empty[i.write]
    ON CONFLICT (region, key) DO UPDATE SET version = excluded.version, value = excluded.value;`;
}

export function removeEntries(kinds: string): string {
  return `
  DELETE FROM entries t USING unnest(v_of, ${kinds}, p_keys) i(write, kind, key)
    WHERE i.kind = 1 AND v_sequence[i.write] IS NOT NULL
      AND t.region = v_data[i.write] AND t.key = i.key;`;
}

/** One row for each write that changed something; `ordinal` and `request` are those of `i.write`. */
export function logWrites(parts: {
  readonly kinds: string;
  readonly ordinal: string;
  readonly request: string;
}): string {
  const row = answerRow('done', {
    sequence: 'l.sequence',
    ordinal: 'l.ordinal::bigint',
    request: 'l.request_in_batch',
    count_delta: 'l.count_delta',
    bytes_delta: 'l.bytes_delta',
  });
  return `
  RETURN QUERY
    WITH logged AS (
      INSERT INTO changes AS c (sequence, ordinal, kind, region, name, keys, vals, server, batch,
                                request_in_batch, at, count_delta, bytes_delta, position)
        SELECT v_sequence[i.write], ${parts.ordinal}, 0, p_regions[i.write], v_names[i.write],
               array_agg(i.key ORDER BY i.n), array_agg(i.value ORDER BY i.n),
               p_server, p_batch, ${parts.request}, clock_timestamp(),
               CASE WHEN v_empty[i.write] THEN 0 ELSE
                 count(*) FILTER (WHERE i.kind = 0 AND i.old IS NULL) - count(*) FILTER (WHERE i.kind = 1) END,
               CASE WHEN v_empty[i.write] THEN 0 ELSE
                 coalesce(sum(octet_length(i.value)) FILTER (WHERE i.kind = 0), 0) - coalesce(sum(i.old_bytes), 0) END,
               v_end[i.write]
          FROM unnest(v_of, ${parts.kinds}, p_keys, p_values, v_old_version, v_old_bytes)
               WITH ORDINALITY i(write, kind, key, value, old, old_bytes, n)
          WHERE v_sequence[i.write] IS NOT NULL
            AND (i.kind = 0 OR (i.kind = 1 AND (v_empty[i.write] OR i.old IS NOT NULL)))
          GROUP BY i.write
        RETURNING c.sequence, c.ordinal, c.request_in_batch, c.count_delta, c.bytes_delta)
    SELECT ${row}
      FROM logged l ORDER BY l.sequence, l.ordinal;`;
}

/** Returns the current entries of the items that meet `condition`. */
export function returnEntries(what: 'entry' | 'read', kinds: string, condition: string): string {
  const row = answerRow(what, { sequence: 'e.version', ordinal: 'i.n', vals: 'e.value' });
  return `
    RETURN QUERY SELECT ${row}
      FROM unnest(v_of, ${kinds}, p_keys) WITH ORDINALITY i(write, kind, key, n)
      JOIN LATERAL (SELECT x.version, x.value FROM entries x
        WHERE x.region = v_data[i.write] AND x.key = i.key LIMIT 1) e ON true
      WHERE ${condition};`;
}

export function returnLatest(sequence: string, position: string): string {
  return `
  RETURN QUERY SELECT ${answerRow('latest', { sequence, position })};`;
}
