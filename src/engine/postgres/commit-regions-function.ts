// Commits a batch in which a request may write to several regions. It is the general part of
// `commit_batch` with one more level: a request is a list of writes of one region each. They share
// guards and sequence, and are committed or refused together.
//
//   p_requests  per write: number of its request, ascending
//   p_kinds     per item: 0 put, 1 remove, 2 look-up for a guard, 3 read as of the commit,
//               4 remove what has the version of the value `x<version>`, which the log keeps
//   p_guards    per guard: write, kind (as in `commit_batch`, and 4 present, 5 absent), item
//
// The other parameters are those of `commit_batch`, per write where that has them per request. The
// log gets one row for each write that changed something. All rows of a commit have its sequence
// and the position after its last change, so that a log is never trimmed within a commit.

import { ANSWER_TABLE, answerRow } from './commit-answer.ts';
import {
  COMMIT_PARAMETERS,
  COMMIT_VARIABLES,
  logWrites,
  putEntries,
  READ_ENTRIES,
  removeEntries,
  returnEntries,
  returnLatest,
  TAKE_LOCK,
  testGuards,
} from './commit-statements.ts';
import { FUNCTIONS } from './store-format.ts';

export const COMMIT_REGIONS: string = `
CREATE OR REPLACE FUNCTION ${FUNCTIONS.regions}(${COMMIT_PARAMETERS}, p_requests bigint[])
RETURNS TABLE (${ANSWER_TABLE}) LANGUAGE plpgsql AS $function$
#variable_conflict use_column
DECLARE
  ${COMMIT_VARIABLES}
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
  ${READ_ENTRIES}

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
      RETURN QUERY SELECT ${answerRow('gone', { ordinal: 'v_ordinal[w]::bigint', request: 'r::bigint' })};
    END IF;
  END LOOP;

  ${testGuards({ kinds: 'v_kinds', request: 'p_requests[v_write]', isGone: 'v_gone[r]' })}

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

  ${putEntries('v_kinds')}
  ${removeEntries('v_kinds')}
  RETURN QUERY SELECT ${answerRow('unchanged', { ordinal: 'i.n' })}
    FROM unnest(v_of, v_kinds, v_old_version) WITH ORDINALITY i(write, kind, old, n)
    WHERE (i.kind = 1 AND i.old IS NULL AND NOT v_empty[i.write]) OR i.kind = 5;
  ${logWrites({ kinds: 'v_kinds', ordinal: 'v_ordinal[i.write]', request: 'p_requests[i.write]' })}
  ${returnEntries('read', 'v_kinds', 'i.kind = 3')}
  IF v_any_failed THEN
    RETURN QUERY SELECT ${answerRow('failed', { request: 'q.n' })}
      FROM unnest(v_failed) WITH ORDINALITY q(failed, n) WHERE q.failed;
    ${returnEntries('entry', 'v_kinds', 'v_failed[p_requests[i.write]]')}
  END IF;
  ${returnLatest('v_latest', 'v_position')}
END $function$`;
