// The limits of a grid whose settings are all at their defaults, whatever memory the machine has.

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
