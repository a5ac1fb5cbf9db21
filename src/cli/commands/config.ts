// `gridkeep config`: shows the settings of `start`, or why it would refuse them.

import { checkStart } from '../../app/index.ts';
import type { AuthSettings, UserSetting } from '../../config/auth-settings.ts';
import { loadSettings } from '../load-settings.ts';
import { refuseUsage } from '../print-errors.ts';
import { printTable } from '../print-table.ts';
import { EXIT, type Terminal } from '../terminal.ts';

export async function runConfig(args: readonly string[], terminal: Terminal): Promise<number> {
  const settings = await loadSettings(args, terminal);
  if (settings === undefined) return EXIT.usage;
  const problems = await checkStart(settings.loaded);
  if (problems.length > 0) return refuseUsage(terminal, problems);
  const { declarations, effective, warnings } = settings.loaded;
  for (const warning of warnings) terminal.printError(`gridkeep: ${warning}`);
  terminal.print(
    printTable([
      ...effective.map(({ origin, path, value }) => [path, printValue(value), origin.name]),
      ...declarations.regions.map(({ name, type }) => ['regions', name, type]),
      ...describeAuth(declarations.auth),
      ...declarations.queries.map(({ id, oql }) => ['queries', id, oql.replaceAll(/\s+/g, ' ')]),
    ]),
  );
  return EXIT.ok;
}

/** Names and grants, without hashes. */
function describeAuth(auth: AuthSettings | undefined): readonly (readonly string[])[] {
  if (auth === undefined) return [];
  const { apiKeys, jwt, roles, users } = auth;
  return [
    ...users.map((user) => ['auth.users', user.name, printGrants(user)]),
    ...roles.map(({ name, permissions }) => ['auth.roles', name, permissions.join(', ')]),
    ...apiKeys.map((key) => ['auth.api-keys', key.name, printGrants(key)]),
    ...(jwt === undefined
      ? []
      : [['auth.jwt', jwt.issuer, jwt.jwksUrl ?? jwt.keyFile ?? 'key-env']]),
  ];
}

function printGrants(grants: Pick<UserSetting, 'roles' | 'permissions'>): string {
  return [...grants.roles, ...grants.permissions].join(', ');
}

function printValue(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
