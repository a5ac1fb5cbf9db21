// Generates ids for requests without one; they differ between runs of the service.

export function createRequestIds(): () => string {
  const prefix = `${process.pid.toString(36)}-${Date.now().toString(36)}-`;
  let requests = 0;
  return () => {
    requests += 1;
    return prefix + requests.toString(36);
  };
}
