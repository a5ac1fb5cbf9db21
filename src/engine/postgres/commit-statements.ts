// Statements that the commit functions share.

import { ANSWER, answerRow, LOG_COLUMNS } from './commit-answer.ts';

export const COMMIT_PARAMETERS: string = `
  p_server bigint, p_incarnation bigint, p_batch bigint, p_heard bigint,
  p_regions bigint[], p_first bigint[], p_kinds bigint[], p_keys text[], p_values text[],
  p_guards bigint[], p_versions text[]`;

/** Set by `TAKE_LOCK`: the latest commit, and the position after it. */
export const LOCK_VARIABLES: string = `
  v_altered bigint;
  v_latest bigint;
  v_position bigint;`;

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

export function returnLatest(sequence: string, position: string): string {
  return `
  RETURN QUERY SELECT ${answerRow('latest', { sequence, position })};`;
}
