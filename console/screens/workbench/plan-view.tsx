// Draws a plan: the last step on top, each step above its inputs. The bar of a step is as wide as
// its share of the time, and the line between two steps shows the number of rows. Beside it is the
// plan before an index was created, or a pinned one.

import type { Plan } from '../../../src/client/index.ts';
import { loadRegions } from '../../api/regions.ts';
import { call, may } from '../../api/session.ts';
import { Button } from '../../design/button.tsx';
import { Notice } from '../../design/notice.tsx';
import { printAmount, printDuration } from '../../design/print-numbers.ts';
import { Badge } from '../../design/small-parts.tsx';
import { showError, showToast } from '../../design/toasts.tsx';
import { pinnedPlan } from './pinned-plan.ts';
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

export function PlanView({ onRunAgain, result }: PlanViewProps) {
  const { plan, text } = result;
  const facts = readPlan(plan);
  const mode = facts.ms === undefined ? 'explain' : 'analyze';
  const other = findOther(result);
  const isPinned = pinnedPlan.value?.plan === plan;
  const createAndRun = async (advice: IndexAdvice): Promise<void> => {
    try {
      await call((client) => client.createIndex(advice.region, advice));
      showToast(`Index ${advice.name} was created.`);
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
        <span class="workbench-space" />
        <Button
          kind="quiet"
          icon="named"
          isPressed={isPinned}
          onClick={() => {
            pinnedPlan.value = isPinned ? undefined : { plan, text };
          }}
        >
          {isPinned ? 'Pinned' : 'Pin to compare'}
        </Button>
      </header>
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
              avoid a scan of the region.
            </p>
          </Notice>
        ))}
      {other === undefined ? (
        <PlanPicture title="Plan" facts={facts} />
      ) : (
        <div class="plan-pictures-two">
          <PlanPicture {...other} />
          <PlanPicture title={other.title === 'Before' ? 'After' : 'This plan'} facts={facts} />
        </div>
      )}
    </div>
  );
}

interface ShownPlan {
  readonly title: string;
  readonly facts: PlanFacts;
  /** The query, if it is another. */
  readonly text?: string;
  readonly onClose?: () => void;
}

/** The plan before an index was created, or the pinned one. */
function findOther({ before, plan }: PlanResult): ShownPlan | undefined {
  if (before !== undefined) return { title: 'Before', facts: readPlan(before) };
  const pinned = pinnedPlan.value;
  if (pinned === undefined || pinned.plan === plan) return undefined;
  const onClose = (): void => {
    pinnedPlan.value = undefined;
  };
  return { title: 'Pinned plan', facts: readPlan(pinned.plan), text: pinned.text, onClose };
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

function PlanPicture({ facts, onClose, text, title }: ShownPlan) {
  return (
    <figure class="plan-picture" aria-label={title}>
      {title !== 'Plan' && (
        <figcaption>
          <span class="plan-title">{title}</span>
          {facts.ms !== undefined && <span>{printDuration(facts.ms / 1000)}</span>}
          {onClose !== undefined && (
            <Button kind="quiet" size="small" icon="close" label="Unpin" onClick={onClose} />
          )}
        </figcaption>
      )}
      {text !== undefined && <p class="plan-text mono quiet">{text}</p>}
      <PlanNotes facts={facts} />
      <div class="plan-drawing">
        <ul class="plan-steps">
          <Step step={facts.root} wholeMs={facts.ms} />
          {facts.subqueries.map((step) => (
            <Step key={step.detail} step={step} wholeMs={facts.ms} />
          ))}
        </ul>
      </div>
    </figure>
  );
}

interface StepProps {
  readonly step: PlanStep;
  readonly wholeMs: number | undefined;
}

function Step({ step, wholeMs }: StepProps) {
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
        {ms !== undefined && ms > 0 && <span class="plan-figures">{printDuration(ms / 1000)}</span>}
      </div>
      {below.length > 0 && (
        <ul class="plan-inputs">
          {below.map((each) => (
            <Input key={each.node + each.detail} step={each} wholeMs={wholeMs} />
          ))}
        </ul>
      )}
    </li>
  );
}

/** An input of a step, with its number of rows. */
function Input({ step, wholeMs }: StepProps) {
  const rows = rowsOf(step);
  return (
    <li class="plan-input">
      <span class="plan-edge">{rows !== undefined && printAmount(rows, 'row', 'rows')}</span>
      <ul class="plan-steps">
        <Step step={step} wholeMs={wholeMs} />
      </ul>
    </li>
  );
}
