// Runs a service until it ends. On a signal it drains and exits with 0. On a failure outside any
// request, or when its data directory is gone, it reports, drains and exits with 70. A second
// signal ends it at once. SIGHUP reloads certificate and logins; without either it is ignored.

import type { EventEmitter } from 'node:events';
import { constants } from 'node:os';
import type { RunningService } from './start-service.ts';

/** `EX_SOFTWARE`: the program itself failed. */
const INTERNAL_FAILURE = 70;
const SIGNALS = ['SIGTERM', 'SIGINT'] as const;
const FAILURES = ['uncaughtException', 'unhandledRejection'] as const;

type Ending =
  | { readonly kind: 'signal'; readonly signal: (typeof SIGNALS)[number] }
  | { readonly kind: 'failure'; readonly error: unknown }
  | { readonly kind: 'store-lost' };

/** Settles with the exit code; `events` is the process, or a fake in tests. */
export async function runUntilStopped(
  service: RunningService,
  events: EventEmitter,
): Promise<number> {
  const endings = listenForEndings(events);
  const reload = (): void => void service.reload?.();
  // Handled even if nothing can be reloaded, because the default action would end the service with
  // its terminal.
  events.on('SIGHUP', reload);
  try {
    const first = await Promise.race([endings.next(), untilStoreLost(service)]);
    if (first.kind === 'failure') service.observe({ kind: 'service-failed', error: first.error });
    const reason = first.kind === 'signal' ? first.signal : first.kind;
    const code = first.kind === 'signal' ? 0 : INTERNAL_FAILURE;
    return await Promise.race([
      service.stop(reason).then(() => code),
      endings.nextSignal().then((signal) => 128 + constants.signals[signal]),
    ]);
  } finally {
    events.off('SIGHUP', reload);
    endings.close();
  }
}

async function untilStoreLost({ storeLost }: RunningService): Promise<Ending> {
  await (storeLost ?? new Promise(() => undefined));
  return { kind: 'store-lost' };
}

interface Endings {
  next(): Promise<Ending>;
  nextSignal(): Promise<(typeof SIGNALS)[number]>;
  close(): void;
}

function listenForEndings(events: EventEmitter): Endings {
  let finish: (ending: Ending) => void = () => undefined;
  const listeners = [
    ...SIGNALS.map((signal) => [signal, () => finish({ kind: 'signal', signal })] as const),
    ...FAILURES.map(
      (event) => [event, (error: unknown) => finish({ kind: 'failure', error })] as const,
    ),
  ];
  for (const [event, listener] of listeners) events.on(event, listener);
  const next = (): Promise<Ending> =>
    new Promise((resolve) => {
      finish = resolve;
    });
  return {
    next,
    nextSignal: async () => {
      for (;;) {
        const ending = await next();
        // A failure while draining changes nothing: the service is ending anyway.
        if (ending.kind === 'signal') return ending.signal;
      }
    },
    close: () => {
      for (const [event, listener] of listeners) events.off(event, listener);
    },
  };
}
