// The members that run the service, and an answer for functions, of which there are none.

import type { AnswerIntent } from '../../handlers/handler.ts';
import type { IntentOf } from '../../intent/intent.ts';
import type { ApiRequest } from '../../request/api-request.ts';
import type { ApiResponse } from '../../response/api-response.ts';
import { addressHeader, toAddress } from './addresses.ts';
import { refuse } from './geode-error.ts';
import { geodeJson } from './geode-response.ts';

export const listServers: AnswerIntent<unknown> = async (_intent, request, { grid }) => {
  const headers = addressHeader('Location', toAddress(request.base, 'servers'));
  return geodeJson(JSON.stringify(await grid.listServers()), headers);
};

/** Always empty: user code does not run here. */
export function listFunctions(_intent: unknown, request: ApiRequest): ApiResponse {
  const headers = addressHeader('Location', toAddress(request.base, 'functions'));
  return geodeJson('{"functions":[]}', headers);
}

export function runFunction({ functionId }: IntentOf<'run-function'>): ApiResponse {
  throw refuse('request/path-not-found', 404, `The function ${functionId} is not registered.`);
}
