// Progress of a task with several steps: a bar for each, one after another.

import { drawProgressBar } from './progress-bar.ts';
import type { Terminal } from './terminal.ts';

export interface StepProgress<Step extends string> {
  readonly step: Step;
  readonly done: number;
  readonly total: number;
}

/** Draws nothing without a terminal. */
export function drawSteps<Step extends string>(
  { draw }: Pick<Terminal, 'draw'>,
  labels: Readonly<Record<Step, string>>,
): (progress: StepProgress<Step>) => void {
  if (draw === undefined) return () => undefined;
  const bars = new Map<Step, ReturnType<typeof drawProgressBar>>();
  return ({ step, ...progress }) => {
    const bar = bars.get(step) ?? drawProgressBar(labels[step], draw);
    bars.set(step, bar);
    bar(progress);
  };
}
