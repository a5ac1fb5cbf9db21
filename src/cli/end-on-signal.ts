// Ends the process on a signal as `process.exit` does, so that listeners of `exit` remove unfinished
// files. Without a listener, Node ends at once and leaves them.

const SIGNALS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

/** Returns a function that stops listening. A second signal ends the process at once. */
export function endOnSignal(): () => void {
  const listeners = Object.entries(SIGNALS).map(([signal, code]) => {
    const end = (): never => {
      restore();
      process.exit(code);
    };
    process.on(signal, end);
    return { signal, end };
  });
  const restore = (): void => {
    for (const { end, signal } of listeners) process.off(signal, end);
  };
  return restore;
}
