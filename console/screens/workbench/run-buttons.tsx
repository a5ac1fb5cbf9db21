// Buttons to run and follow a query, or to stop it.

import { Button } from '../../design/button.tsx';
import { isFollowing, stopFollowing } from './follow-query.ts';
import { runOf } from './run-query.ts';

interface RunButtonsProps {
  /** The id of the run. */
  readonly run: string;
  readonly isReady: boolean;
  readonly onRun: () => void;
  readonly onFollow: () => void;
}

export function RunButtons({ isReady, onFollow, onRun, run }: RunButtonsProps) {
  const state = runOf(run);
  return (
    <>
      {state.kind === 'running' ? (
        <Button kind="danger" icon="stop" onClick={state.cancel}>
          Cancel
        </Button>
      ) : (
        <Button kind="primary" icon="play" disabled={!isReady} onClick={onRun}>
          Run
        </Button>
      )}
      {isFollowing(run) ? (
        <Button icon="stop" onClick={() => stopFollowing(run)}>
          Stop
        </Button>
      ) : (
        <Button icon="live" disabled={!isReady || state.kind === 'running'} onClick={onFollow}>
          Live
        </Button>
      )}
    </>
  );
}
