// The members that run the service, and an answer for functions, of which there are none.

import type { Api } from '../../handlers/handler.ts';
import { ping as ownPing } from '../../handlers/members.ts';
import type { IntentOf } from '../../intent/intent.ts';
import type { ApiRequest } from '../../request/api-request.ts';
import type { ApiResponse } from '../../response/api-response.ts';
import { addressHeader, toAddress } from './addresses.ts';
import { geodeJson } from './geode-response.ts';
import { refuse } from './refusal.ts';

export async function listServers(
  _intent: unknown,
  request: ApiRequest,
  { grid }: Api,
): Promise<ApiResponse> {
  const headers = addressHeader('Location', toAddress(request.base, 'servers'));
  return geodeJson(JSON.stringify(await grid.listServers()), headers);
}

export function ping(
  intent: IntentOf<'ping'>,
  request: ApiRequest,
  api: Api,
): Promise<ApiResponse> | ApiResponse {
  return ownPing(intent, request, api);
}

/** There are none: code of users does not run here. */
export function listFunctions(_intent: unknown, request: ApiRequest): ApiResponse {
  const headers = addressHeader('Location', toAddress(request.base, 'functions'));
  return geodeJson('{"functions":[]}', headers);
}

export function runFunction({ functionId }: IntentOf<'run-function'>): ApiResponse {
  throw refuse('request/path-not-found', 404, `The function ${functionId} is not registered.`);
}
