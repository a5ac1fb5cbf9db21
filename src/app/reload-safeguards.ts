// Reloads certificate and logins while the service runs. New ones that cannot be used are reported,
// and the old ones stay as a whole.

import type { Config } from '../config/config.ts';
import type { ConfigOutcome } from '../config/load-config.ts';
import type { TlsMaterial } from '../http/index.ts';
import type { Observe } from '../observe/observation.ts';
import { authRefused, StartError } from './errors.ts';
import { readTls, replaceLogins, type Safeguards } from './open-safeguards.ts';

/** Loads the configuration again. */
export type LoadAgain = () => Promise<ConfigOutcome>;

export interface ReloadOptions {
  readonly config: Config;
  /** Absent if the configuration cannot be reloaded: logins stay. */
  readonly loadAgain: LoadAgain | undefined;
  readonly replaceTls: (material: TlsMaterial) => void;
  readonly observe: Observe;
}

/** Whether there is anything to reload. */
export function isReloadable(
  { authenticator, tls }: Safeguards,
  loadAgain: LoadAgain | undefined,
): boolean {
  return tls !== undefined || (authenticator !== undefined && loadAgain !== undefined);
}

export async function reloadSafeguards(
  { authenticator, tls }: Safeguards,
  options: ReloadOptions,
): Promise<void> {
  if (tls !== undefined) await reloadCertificate(options);
  const { loadAgain, observe } = options;
  if (authenticator === undefined || loadAgain === undefined) return;
  try {
    const loaded = await loadAgain();
    if (loaded.kind === 'refused') throw authRefused(loaded.problems);
    await replaceLogins(authenticator, loaded.declarations.auth);
    observe({ kind: 'logins-replaced' });
  } catch (error) {
    observe({ kind: 'logins-refused', reason: reasonOf(error) });
  }
}

async function reloadCertificate({ config, observe, replaceTls }: ReloadOptions): Promise<void> {
  try {
    const material = await readTls(config);
    if (material !== undefined) replaceTls(material);
    observe({ kind: 'certificate-replaced' });
  } catch (error) {
    observe({ kind: 'certificate-refused', reason: reasonOf(error) });
  }
}

/** Our own messages never quote the content of files and settings; those of libraries may. */
function reasonOf(error: unknown): string {
  if (error instanceof StartError) return error.message;
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
}
