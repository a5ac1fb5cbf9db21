// The current login, and the client that uses it. The secret stays in memory, or on request in the
// session storage of the tab; it never appears in a URL.

import { batch, computed, signal } from '@preact/signals';
import { GridClient, type Login, type LoginDetails, LoginError } from '../../src/client/index.ts';
import { isReadOnly } from '../app/preferences.ts';
import { trackConnection } from './connection.ts';
import { type Need, Permissions } from './permissions.ts';

export type Session =
  | { readonly kind: 'starting' }
  /** `reason`: why the last login was refused, or ended. */
  | { readonly kind: 'login-needed'; readonly reason: unknown }
  | { readonly kind: 'failed'; readonly error: unknown }
  | OpenSession;

interface OpenSession {
  readonly kind: 'open';
  readonly client: GridClient;
  readonly login: LoginDetails;
  readonly permissions: Permissions;
}

const STORAGE_KEY = 'gridkeep-login';
/** The banner reports a lost connection, so calls need not retry for long. */
const RETRIES = 2;

export const session = signal<Session>({ kind: 'starting' });

/**
 * The base address of the service: the console is one level below, also under the path of a proxy.
 */
export const serviceUrl: string = new URL('..', document.baseURI).href.replace(/\/$/, '');

/** Reads the login: with the credentials of this tab, or without if none are needed. */
export async function startSession(): Promise<void> {
  await open(recallLogin(), undefined);
}

/** Whether the login was accepted; `session` has the reason if it was not. */
export async function logIn(login: Login, keep: 'memory' | 'tab'): Promise<void> {
  await open(login, keep);
}

/** Leaves nothing in the page that the login could read: the next one may be another person's. */
export function logOut(): void {
  const ours = Object.keys(sessionStorage).filter((key) => key.startsWith('gridkeep-'));
  for (const key of ours) sessionStorage.removeItem(key);
  location.reload();
}

/**
 * Whether the login may do this and the read-only switch allows it. Controls for anything else are
 * not shown.
 */
export function may(need: Need): boolean {
  const isChange = need[1] === 'WRITE' || need[1] === 'MANAGE';
  if (isChange && isReadOnly.value) return false;
  return permissions.value.allows(need);
}

/** Whether the login has this permission for anything, such as reading some region. */
export function mayBegin(need: Need): boolean {
  return permissions.value.allowsSome(need);
}

/** Calls the service with the current login. An expired login leads to the login page. */
export async function call<T>(work: (client: GridClient) => Promise<T>): Promise<T> {
  const current = session.value;
  if (current.kind !== 'open') throw new Error('There is no session.');
  try {
    return await trackConnection(current.client, () => work(current.client));
  } catch (error) {
    const isEnded = error instanceof LoginError && error.status === 401;
    if (isEnded && session.value === current) {
      sessionStorage.removeItem(STORAGE_KEY);
      session.value = { kind: 'login-needed', reason: error };
    }
    throw error;
  }
}

const NOTHING = new Permissions([]);

const permissions = computed(() =>
  session.value.kind === 'open' ? session.value.permissions : NOTHING,
);

async function open(login: Login | undefined, keep: 'memory' | 'tab' | undefined): Promise<void> {
  const client = new GridClient({ url: serviceUrl, login, retries: RETRIES });
  try {
    const details = await client.service.readLogin();
    if (keep === 'tab') sessionStorage.setItem(STORAGE_KEY, JSON.stringify(login));
    batch(() => {
      session.value = {
        kind: 'open',
        client,
        login: details,
        permissions: new Permissions(details.permissions),
      };
    });
  } catch (error) {
    if (error instanceof LoginError) {
      // Without a login nothing was refused.
      session.value = { kind: 'login-needed', reason: login && error };
    } else {
      session.value = { kind: 'failed', error };
    }
  }
}

function recallLogin(): Login | undefined {
  const text = sessionStorage.getItem(STORAGE_KEY);
  // Only written by this module.
  return text === null ? undefined : (JSON.parse(text) as Login);
}
