// Lists the members that run the service, and answers ping.

import { notAvailable } from '../errors.ts';
import { blankResponse, textResponse } from '../response/api-response.ts';
import { JSON_UTF8_TYPE } from '../response/media-types.ts';
import type { Handler } from './handler.ts';

/** Spec 4.11. */
export const listServers: Handler<'list-servers'> = async (_intent, request, { grid }) =>
  textResponse(JSON_UTF8_TYPE, JSON.stringify(await grid.listServers()), [
    'Location',
    `${request.base}/servers`,
  ]);

/** Spec 4.12. */
export const ping: Handler<'ping'> = (_intent, _request, { status }) => {
  if (status.phase !== 'running') throw notAvailable();
  return blankResponse(200);
};
