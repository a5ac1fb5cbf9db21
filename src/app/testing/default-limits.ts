// The limits of a grid with default settings, independent of the memory of the machine.

import { loadConfig } from '../../config/load-config.ts';
import type { GridLimits } from '../../grid/index.ts';
import { toGridLimits } from '../service-limits.ts';

const loaded = await loadConfig({ environment: {}, workingDirectory: import.meta.dirname });
if (loaded.kind !== 'loaded') throw new Error('the defaults are no configuration');
const { config } = loaded;

export const defaultLimits: GridLimits = {
  ...toGridLimits(config),
  columnBudgetBytes: config.columns.memoryBudgetBytes,
};
