// Requests to one or several servers, each a separate process, from clients in a closed loop. The clients
// are distributed over the servers; this process does nothing else meanwhile.

import { Connection } from '../shared/connection.ts';
import { printRequest } from '../shared/requests.ts';
import { keyOf, makeDocument, spread, type WorkOptions } from './engine-work.ts';

export type HttpWork = 'GET' | 'PUT' | 'named query' | 'warm scan';

/** Requests below `/grid-api/v1`, per turn. */
const WORK: Readonly<Record<HttpWork, (turn: number, documents: number) => readonly string[]>> = {
  GET: (turn, documents) => ['GET', `/orders/${keyOf(spread(turn, documents))}`],
  PUT: (turn, documents) => [
    'PUT',
    `/orders/${keyOf(spread(turn, documents))}`,
    makeDocument(turn),
  ],
  'named query': (turn) => ['POST', '/queries/by-customer', `[${turn % 997}]`],
  'warm scan': () => [
    'GET',
    `/queries/adhoc?q=${encodeURIComponent("SELECT COUNT(*) FROM /orders o WHERE o.status = 'paid' AND o.total > 5000")}`,
  ],
};

export const NAMED_QUERY = 'SELECT COUNT(*) FROM /orders o WHERE o.customer = $1';

/** Requests per second. */
export async function measureHttp(
  ports: readonly number[],
  work: HttpWork,
  { clients, documents, seconds }: WorkOptions,
): Promise<number> {
  const endMs = performance.now() + seconds * 1000;
  let turn = 0;
  let answered = 0;
  const startMs = performance.now();
  const client = async (index: number): Promise<void> => {
    const port = ports[index % ports.length] ?? 0;
    const idle = Promise.withResolvers<void>();
    const send = (): void => {
      turn += 1;
      const [method, path, body] = WORK[work](turn, documents);
      connection.send(
        printRequest({
          host: `127.0.0.1:${port}`,
          // From the table above.
          method: method as 'GET' | 'PUT' | 'POST',
          path: `/grid-api/v1${path}`,
          ...(body === undefined ? {} : { body }),
        }),
      );
    };
    const connection = new Connection('GET', () => {
      answered += 1;
      if (performance.now() < endMs) send();
      else idle.resolve();
    });
    await connection.open(port);
    send();
    await idle.promise;
    connection.close();
  };
  await Promise.all(Array.from({ length: clients }, (_, i) => client(i)));
  return (answered * 1000) / (performance.now() - startMs);
}
