// A plan as a picture: the last step on top, each step above those that feed it. The bar
// of a step is as wide as its share of the time, and between steps stands how many rows
// go up.

import type { Plan } from '../../../src/client/index.ts';
import { loadRegions } from '../../api/regions.ts';
import { call, may } from '../../api/session.ts';
import { Button } from '../../design/button.tsx';
import { Notice } from '../../design/notice.tsx';
import { printCount, printDuration } from '../../design/print-numbers.ts';
import { Badge } from '../../design/small-parts.tsx';
import { showError, showToast } from '../../design/toasts.tsx';
import {
  adviseIndexes,
  type IndexAdvice,
  ownMs,
  type PlanFacts,
  type PlanStep,
  readPlan,
  rowsOf,
  stepsBelow,
} from './plan-tree.ts';
import type { PlanResult, RunMode } from './run-query.ts';

interface PlanViewProps {
  readonly result: PlanResult;
  /** Shows this plan beside the new one. */
  readonly onRunAgain: (mode: RunMode, before: Plan) => void;
}

export function PlanView({ onRunAgain, result: { before, plan } }: PlanViewProps) {
  const facts = readPlan(plan);
  const mode = facts.ms === undefined ? 'explain' : 'analyze';
  const createAndRun = async (advice: IndexAdvice): Promise<void> => {
    try {
      await call((client) => client.createIndex(advice.region, advice));
      showToast(`Created index ${advice.name}`);
      await loadRegions();
      onRunAgain(mode, plan);
    } catch (error) {
      showError(error);
    }
  };
  return (
    <div class="plan">
      <header class="result-head">
        <p class="result-count">
          {facts.ms === undefined ? (
            'How it would run'
          ) : (
            <>
              It ran in <strong>{printDuration(facts.ms / 1000)}</strong>
            </>
          )}
        </p>
      </header>
      <PlanNotes facts={facts} />
      {may(['CLUSTER', 'MANAGE']) &&
        adviseIndexes(facts.root).map((advice) => (
          <Notice
            key={advice.name}
            icon="tip"
            action={
              <Button size="small" onClick={() => void createAndRun(advice)}>
                Create this index and run again
              </Button>
            }
          >
            <p>
              An index on <code>{advice.expression}</code> of <code>/{advice.region}</code> would
              spare a scan of the region.
            </p>
          </Notice>
        ))}
      <div class={before === undefined ? 'plan-pictures' : 'plan-pictures plan-pictures-two'}>
        {before !== undefined && <PlanPicture title="Before" facts={readPlan(before)} />}
        <PlanPicture title={before === undefined ? 'Plan' : 'After'} facts={facts} />
      </div>
    </div>
  );
}

function PlanNotes({ facts }: { readonly facts: PlanFacts }) {
  return (
    <div class="plan-notes">
      {facts.used.map((name) => (
        <Badge key={name} kind="ok">
          index {name} used
        </Badge>
      ))}
      {facts.refused.map(({ name, reason }) => (
        <p key={name} class="plan-refused">
          <Badge>index {name} not used</Badge> {reason}
        </p>
      ))}
      {facts.rowsBecause !== null && (
        <p class="plan-refused">
          <Badge kind="warning">row by row</Badge> because {facts.rowsBecause}
        </p>
      )}
      {facts.warnings.map((warning) => (
        <Notice key={warning} kind="warning">
          {warning}
        </Notice>
      ))}
    </div>
  );
}

function PlanPicture({ facts, title }: { readonly facts: PlanFacts; readonly title: string }) {
  return (
    <figure class="plan-picture" aria-label={title}>
      {title !== 'Plan' && <figcaption>{title}</figcaption>}
      <ul class="plan-tree">
        <Step step={facts.root} wholeMs={facts.ms} />
        {facts.subqueries.map((step) => (
          <Step key={step.detail} step={step} wholeMs={facts.ms} />
        ))}
      </ul>
    </figure>
  );
}

function Step({
  step,
  wholeMs,
}: {
  readonly step: PlanStep;
  readonly wholeMs: number | undefined;
}) {
  const rows = rowsOf(step);
  const ms = ownMs(step);
  const share = ms === undefined || !wholeMs ? 0 : Math.min(1, ms / wholeMs);
  const below = stepsBelow(step);
  return (
    <li class="plan-step">
      <div class="plan-box">
        <span
          class="plan-bar"
          style={{ width: `${Math.round(share * 100)}%` }}
          aria-hidden="true"
        />
        <span class="plan-name">{step.node}</span>
        <span class="plan-detail mono">{step.detail}</span>
        <span class="plan-figures">
          {rows !== undefined && `${printCount(rows)} ${rows === 1 ? 'row' : 'rows'}`}
          {ms !== undefined && ` · ${printDuration(ms / 1000)}`}
        </span>
      </div>
      {below.length > 0 && (
        <ul class="plan-tree">
          {below.map((each) => (
            <Step key={each.node + each.detail} step={each} wholeMs={wholeMs} />
          ))}
        </ul>
      )}
    </li>
  );
}
