/** Calls back once: with true when the client has read the pending bytes, with false when it is gone. */
export function whenDrained(
  connection: {
    on(event: 'drain' | 'close', listener: () => void): unknown;
    off(event: 'drain' | 'close', listener: () => void): unknown;
  },
  callback: (isDrained: boolean) => void,
): void {
  const settle = (isDrained: boolean): void => {
    connection.off('drain', onDrain);
    connection.off('close', onClose);
    callback(isDrained);
  };
  const onDrain = (): void => settle(true);
  const onClose = (): void => settle(false);
  connection.on('drain', onDrain);
  connection.on('close', onClose);
}
