// Live queries: the rows of a query, then their changes.

import type { Grid } from '../../grid/index.ts';
import { readableRegions } from '../auth/principal.ts';
import type { LiveAnswer } from '../intent/intent.ts';
import type { ApiRequest } from '../request/api-request.ts';
import { parseAdhocBody } from '../request/bind-parameters.ts';
import type { ApiResponse } from '../response/api-response.ts';
import { LivePrinter } from '../streams/live-json.ts';
import type { StreamPiece } from '../streams/long-stream.ts';
import type { Handler } from './handler.ts';

type LiveRequest = Parameters<Grid['openLiveQuery']>[0];
type LiveStream = Awaited<ReturnType<Grid['openLiveQuery']>>;

export const followNamedQuery: Handler<'follow-named-query'> = (intent, request, { grid }) => {
  const { parameters, queryId } = intent;
  const readText = (): string | Promise<string> => grid.readQueryText(queryId);
  return follow(intent, request, grid, { queryId, parameters, readText });
};

export const followAdhocQuery: Handler<'follow-adhoc-query'> = async (intent, request, api) => {
  const query = intent.query ?? parseAdhocBody(await request.readJson(api.limits));
  const { oql, parameters } = query;
  return follow(intent, request, api.grid, { parameters, readText: () => oql });
};

/**
 * The first rows are computed before the status is sent, so every error of the query has a status.
 */
async function follow(
  { form, heartbeatMs, resumeAt }: LiveAnswer,
  { principal }: ApiRequest,
  grid: Grid,
  query: Pick<LiveRequest, 'queryId' | 'parameters' | 'readText'>,
): Promise<ApiResponse> {
  const mayRead = readableRegions(principal);
  const stream = await grid.openLiveQuery({ ...query, mayRead, resumeAt });
  const printer = new LivePrinter(form, resumeAt);
  return {
    status: 200,
    headers: [],
    body: undefined,
    longStream: {
      kind: 'live',
      form,
      heartbeatMs,
      resumeId: () => printer.resumeId,
      pieces: (signal) => printEvents(stream, printer, signal),
      discard: () => stream.close(),
    },
  };
}

async function* printEvents(
  stream: LiveStream,
  printer: LivePrinter,
  signal: AbortSignal,
): AsyncGenerator<StreamPiece> {
  const close = (): void => stream.close();
  signal.addEventListener('abort', close);
  if (signal.aborted) close();
  try {
    for await (const event of stream.events()) yield* printer.print(event);
  } finally {
    close();
  }
}
