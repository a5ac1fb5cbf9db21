// The figures of the last minutes. They survive leaving the screen, so that returning shows no
// empty charts; nothing is read while it is not shown.

import { signal } from '@preact/signals';
import type { GridClient } from '../../../src/client/index.ts';
import { MetricsText } from '../../api/metrics-text.ts';
import { type Figures, figuresBetween, type Reading } from './figures.ts';

export const READ_EVERY_MS = 2000;
/** Figures that are kept: those of five minutes. */
const MAX_FIGURES = 150;

export const history = signal<readonly Figures[]>([]);

let last: Reading | undefined;

/** Reads the metrics once, and adds the figures since the last reading. */
export async function readFigures(client: GridClient, abort: AbortSignal): Promise<void> {
  const text = await client.service.readMetrics({ signal: abort });
  const reading = { time: Date.now() / 1000, metrics: new MetricsText(text) };
  const figures = last && figuresBetween(last, reading);
  last = reading;
  if (figures !== undefined) history.value = [...history.value, figures].slice(-MAX_FIGURES);
}
