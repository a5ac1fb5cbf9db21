// The changes of a region as they happen.

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import './changes.css';
import { type ChangeOperation, GoneError } from '../../../src/client/index.ts';
import { loadRegions } from '../../api/regions.ts';
import type { RegionScreenProps } from '../../app/router.ts';
import { replaceRoute } from '../../app/router.ts';
import { useCommands } from '../../app/use-commands.ts';
import { Button } from '../../design/button.tsx';
import { ErrorNotice, Notice } from '../../design/notice.tsx';
import { printAmount, printCount, printRate } from '../../design/print-numbers.ts';
import { EmptyState } from '../../design/small-parts.tsx';
import { ChangeList } from './change-list.tsx';
import { ChangesFilter } from './changes-filter.tsx';
import { Feed, type FeedFilter, MAX_CHANGES } from './feed.ts';

export function Changes({ parameters, region }: RegionScreenProps) {
  const address = String(parameters);
  const attempt = useSignal(0);
  const feed = useSignal(new Feed());
  const attempts = attempt.value;
  useEffect(() => {
    const next = new Feed();
    feed.value = next;
    void next.follow(region, filterOf(new URLSearchParams(address)));
    return () => next.close();
  }, [region, address, attempts]);
  const show = (next: FeedFilter): void =>
    replaceRoute({ screen: 'changes', region, parameters: toParameters(next) });
  const current = feed.value;
  useCounts(current);
  const state = current.state.value;
  const isPaused = state.held !== undefined;
  const toggle = (): void =>
    current.state.value.held === undefined ? current.pause() : current.resume();
  useCommands(
    [
      {
        title: isPaused ? 'Resume the changes' : 'Pause the changes',
        group: region,
        icon: isPaused ? 'play' : 'pause',
        run: toggle,
      },
    ],
    [current, isPaused],
  );
  const filter = filterOf(parameters);
  return (
    <div class="changes">
      <ChangesFilter key={region} filter={filter} onChange={show} />
      <div class="changes-head">
        <Button icon={isPaused ? 'play' : 'pause'} onClick={toggle}>
          {isPaused ? 'Resume' : 'Pause'}
        </Button>
        {/* It changes with every change, so screen readers do not announce it. */}
        <p class="changes-count">
          {state.held === undefined
            ? printAmount(state.count, 'change', 'changes')
            : `Paused; ${printCount(state.held)} new`}
        </p>
        <p class="quiet">{`${printRate(state.perSecond)} per second`}</p>
        {state.sequence !== undefined && <p class="quiet">{`up to sequence ${state.sequence}`}</p>}
      </div>
      {state.error !== undefined && (
        <Ended
          error={state.error}
          onAgain={() => {
            attempt.value += 1;
          }}
          onSince={(since) => show({ ...filter, since })}
        />
      )}
      {state.changes.length === 0 && state.error === undefined && (
        <EmptyState icon="live" title="Waiting for changes">
          Every change of an entry appears here as it happens. The newest {printCount(MAX_CHANGES)}{' '}
          stay in the list.
        </EmptyState>
      )}
      {state.changes.length > 0 && <ChangeList region={region} changes={state.changes} />}
    </div>
  );
}

/** How often entries are counted while changes arrive. */
const COUNTED_EVERY_MS = 2000;

/** Keeps the number of entries, which the frame shows, in step with the changes. */
function useCounts(feed: Feed): void {
  useEffect(() => {
    let counted = 0;
    const timer = setInterval(() => {
      const { count } = feed.state.value;
      if (count === counted) return;
      counted = count;
      // The feed reports an outage itself.
      loadRegions().catch(() => undefined);
    }, COUNTED_EVERY_MS);
    return () => clearInterval(timer);
  }, [feed]);
}

interface EndedProps {
  readonly error: unknown;
  readonly onAgain: () => void;
  readonly onSince: (since: number | undefined) => void;
}

function Ended({ error, onAgain, onSince }: EndedProps) {
  if (!(error instanceof GoneError)) {
    return <ErrorNotice error={error} action={<Button onClick={onAgain}>Try again</Button>} />;
  }
  return (
    <Notice kind="warning">
      <p>{error.message}</p>
      <p>
        Changes before that cannot be shown: the log keeps a number of changes for some time. The
        entries themselves are all there.
      </p>
      <div class="changes-choice">
        <Button onClick={() => onSince(error.oldest)}>
          {`Show what is kept, from ${error.oldest} on`}
        </Button>
        <Button onClick={() => onSince(undefined)}>Follow from now on</Button>
      </div>
    </Notice>
  );
}

const OPERATIONS: readonly string[] = [
  'put',
  'remove',
  'clear',
  'expire',
  'create-region',
  'destroy-region',
] satisfies ChangeOperation[];

function filterOf(parameters: URLSearchParams): FeedFilter {
  const since = parameters.get('since');
  const operations = parameters.get('ops')?.split(',').filter(isOperation);
  return {
    key: parameters.get('key') ?? undefined,
    prefix: parameters.get('prefix') ?? undefined,
    where: parameters.get('where') ?? undefined,
    operations: operations === undefined || operations.length === 0 ? undefined : operations,
    since: since !== null && /^\d{1,15}$/.test(since) ? Number(since) : undefined,
  };
}

function isOperation(name: string): name is ChangeOperation {
  return OPERATIONS.includes(name);
}

function toParameters({ key, operations, prefix, since, where }: FeedFilter) {
  return {
    ...(key === undefined ? {} : { key }),
    ...(prefix === undefined ? {} : { prefix }),
    ...(where === undefined ? {} : { where }),
    ...(operations === undefined ? {} : { ops: operations.join() }),
    ...(since === undefined ? {} : { since: String(since) }),
  };
}
