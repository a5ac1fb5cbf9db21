// The door for programs that embed the service, and for our own command line.

export { type ConfigOutcome, type LoadedConfig, loadConfig } from '../config/load-config.ts';
export { createApiKey, hashPassword, isPassword } from '../http/index.ts';
export { checkStart, explainStartError } from './check-start.ts';
export { StartError } from './errors.ts';
export { type GridTarget, openReadableGrid, openWritableGrid } from './local-grid.ts';
export { type MoveReport, moveStore, type StoreLocation, toStoreLocation } from './move-store.ts';
export type { LogStream } from './open-log.ts';
export { runUntilStopped } from './run-until-stopped.ts';
export { type RunningService, type ServiceOptions, startService } from './start-service.ts';
export {
  acceptLoss,
  backupStore,
  type CopyOptions,
  type CopyProgress,
  checkDatabase,
  checkStore,
  type Progress,
  restoreStore,
  type StoreReport,
} from './store-tasks.ts';
export { readVersion } from './version.ts';
