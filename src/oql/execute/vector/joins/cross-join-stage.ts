// Joins a region that no equality ties to those before it: every row with every row of it that its
// own conditions leave. What a condition leaves open stays open for each pair, so nothing has to be
// decided before the pairs are there, and failures come out as nested loops give them.

import type { JoinMethod } from '../../../plan/draft.ts';
import type { Candidates, Matches } from '../conditions/judge.ts';
import { pairRows, readJudgedRows } from './judged-rows.ts';
import type { Stage, StageContext } from './stage.ts';

export function* crossJoinStage(
  context: StageContext,
  stage: number,
  { build, local, rest }: Extract<JoinMethod, { kind: 'cross' }>,
): Generator<Matches, Stage> {
  const { compile, refuse } = context;
  const inner = yield* readJudgedRows(context, stage, { build, local });
  const condition = compile(rest);
  return function* crossRows(candidates): Generator<Candidates> {
    for (const { joined, before } of pairRows(candidates, () => inner)) {
      yield refuse(stage, joined, condition, before);
    }
  };
}
