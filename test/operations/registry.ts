// Checks whether packages can be installed here. Tests that need it are skipped otherwise, with the
// reason.

import { execFileSync } from 'node:child_process';

/** The reason why not, or undefined. */
export async function findRegistryObstacle(): Promise<string | undefined> {
  const registry = execFileSync('npm', ['config', 'get', 'registry'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();
  try {
    const answer = await fetch(new URL('jose/latest', registry), {
      signal: AbortSignal.timeout(10_000),
    });
    await answer.arrayBuffer();
    return answer.ok ? undefined : `${registry} answers with ${answer.status}`;
  } catch {
    return `${registry} cannot be reached`;
  }
}
