// Requests of a load, printed once and sent repeatedly, the same in every run.

export interface PrintedRequest {
  readonly host: string;
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT';
  readonly path: string;
  /** JSON text. */
  readonly body?: string;
}

export function printRequest({ body, host, method, path }: PrintedRequest): Buffer {
  const lines = [`${method} ${path} HTTP/1.1`, `Host: ${host}`, 'Accept: application/json'];
  if (body !== undefined) {
    lines.push('Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`);
  }
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body ?? ''}`);
}

export function repeat(count: number, make: () => Buffer): readonly Buffer[] {
  return Array.from({ length: count }, make);
}

/** Pseudo-random integers from 0 to below the limit, the same for the same seed. */
export function createRandom(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}
