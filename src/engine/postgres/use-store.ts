// Opens a store for one task of a command, without an engine.

import type { Client } from 'pg';
import type { StoreAddress } from './connection-url.ts';
import { openConnector, type StoreOptions } from './connector.ts';
import { endClient } from './link.ts';
import { toEngineError } from './postgres-errors.ts';

interface UsedStore {
  readonly client: Client;
  readonly address: StoreAddress;
  /** See `printAddress`. */
  readonly shownAddress: string;
}

/** Throws errors of the port alone. */
export async function useStore<T>(
  options: StoreOptions,
  work: (store: UsedStore) => Promise<T>,
): Promise<T> {
  const { address, connector, shownAddress } = await openConnector(options);
  const client = await connector.connect();
  connector.close();
  try {
    return await work({ client, address, shownAddress });
  } catch (error) {
    throw toEngineError(error, shownAddress);
  } finally {
    await endClient(client);
  }
}
