// The state of the connection. A call without an answer starts pings; the first answered ping ends
// the outage, and the screen is loaded again.

import { batch, signal } from '@preact/signals';
import { type GridClient, UnreachableError } from '../../src/client/index.ts';

export const connection = signal<'connected' | 'lost'>('connected');

/** Incremented with every outage that ended; resources then reload. */
export const reconnections = signal(0);

const PING_EVERY_MS = 2000;

/** Returns the answer or throws the failure of the call. */
export async function trackConnection<T>(client: GridClient, work: () => Promise<T>): Promise<T> {
  try {
    const answer = await work();
    if (connection.value === 'lost') recover();
    return answer;
  } catch (error) {
    if (error instanceof UnreachableError && connection.value === 'connected') {
      connection.value = 'lost';
      void pingUntilConnected(client);
    }
    throw error;
  }
}

async function pingUntilConnected(client: GridClient): Promise<void> {
  while (connection.value === 'lost') {
    await new Promise((resolve) => setTimeout(resolve, PING_EVERY_MS));
    try {
      await client.ping();
      if (connection.value === 'lost') recover();
    } catch (error) {
      // Any answer, even a refusal, proves the connection.
      if (!(error instanceof UnreachableError) && connection.value === 'lost') recover();
    }
  }
}

function recover(): void {
  batch(() => {
    connection.value = 'connected';
    reconnections.value += 1;
  });
}
