// The login that commands send to a running service, from the environment only, because flags are
// visible in process lists.

import { ENVIRONMENT_PREFIX } from './setting-names.ts';

/** Prefix of variables for commands that call a service, not for the service. */
export const CLIENT_PREFIX: string = `${ENVIRONMENT_PREFIX}CLIENT_`;

const USER = `${CLIENT_PREFIX}USER`;
const PASSWORD = `${CLIENT_PREFIX}PASSWORD`;
const API_KEY = `${CLIENT_PREFIX}API_KEY`;
const KNOWN: readonly string[] = [USER, PASSWORD, API_KEY];

export type ClientLogin =
  | { readonly kind: 'none' }
  | { readonly kind: 'password'; readonly user: string; readonly password: string }
  | { readonly kind: 'api-key'; readonly key: string }
  | { readonly kind: 'refused'; readonly problem: string };

/** From the process's own environment, unless another is given. */
export function readClientLogin(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): ClientLogin {
  const unknown = Object.keys(environment).find(
    (name) => name.startsWith(CLIENT_PREFIX) && !KNOWN.includes(name),
  );
  if (unknown !== undefined) {
    return { kind: 'refused', problem: `unknown variable ${unknown}; known: ${KNOWN.join(', ')}` };
  }
  const { [API_KEY]: key, [PASSWORD]: password, [USER]: user } = environment;
  if (key !== undefined) {
    return user === undefined && password === undefined
      ? { kind: 'api-key', key }
      : { kind: 'refused', problem: `${API_KEY} and ${USER} exclude each other` };
  }
  if (user === undefined && password === undefined) return { kind: 'none' };
  if (user === undefined || password === undefined) {
    return { kind: 'refused', problem: `${USER} and ${PASSWORD} need each other` };
  }
  return { kind: 'password', user, password };
}
