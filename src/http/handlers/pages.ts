// Reading regions in pages: some entries in key order, and the address of the next page.

import type { RegionPage } from '../../grid/index.ts';
import { readableRegions } from '../auth/principal.ts';
import type { ReadPage } from '../intent/intent.ts';
import type { ApiRequest } from '../request/api-request.ts';
import { bufferIfShort } from '../response/begin-stream.ts';
import { elementType } from '../response/media-types.ts';
import { nextLink, nextPageParameters } from '../response/page-links.ts';
import { pageElements, printElements } from '../response/print-elements.ts';
import { closeAfter } from './close-after.ts';
import type { Api, Handler } from './handler.ts';

export const readPage: Handler<'read-page'> = async (intent, request, api) => {
  const { page: parameters, region } = intent;
  const page = await openPage(intent, request, api);
  const elements = pageElements(page, parameters.elements, parameters.fields?.tree);
  const body = printElements(elements, {
    form: parameters.form,
    name: parameters.elements === 'keys' ? 'keys' : region,
    end: parameters.end === 'none' ? undefined : { sequence: page.sequence },
  });
  return bufferIfShort({
    status: 200,
    contentType: elementType(parameters.form),
    headers: pageHeaders(intent, request, page),
    body: closeAfter(page, body),
  });
};

function openPage(
  { page: { after, at, isCounted, limit, scope, timeoutMs }, region }: ReadPage,
  request: ApiRequest,
  { grid }: Api,
): Promise<RegionPage> {
  const { from, order, prefix, to, where } = scope;
  return grid.openPage({
    region,
    at,
    range: { order, after, from, to, prefix },
    limit: limit === 'ALL' ? undefined : limit,
    isCounted,
    filter:
      where === undefined
        ? undefined
        : {
            where,
            timeoutMs,
            mayRead: readableRegions(request.principal),
            signal: request,
          },
  });
}

function pageHeaders(
  { page: parameters, region }: ReadPage,
  request: ApiRequest,
  page: RegionPage,
): readonly string[] {
  const headers: string[] = [];
  const applied: string[] = [];
  if (page.next !== undefined) {
    const path = parameters.elements === 'keys' ? `${region}/keys` : region;
    const nextParameters = nextPageParameters(parameters, {
      lastKey: page.next,
      sequence: page.sequence,
    });
    headers.push('Link', nextLink(`${request.base}/${path}?${nextParameters}`));
  }
  if (page.total !== undefined) {
    headers.push('Resource-Count', String(page.total));
    applied.push('count=exact');
  }
  if (parameters.end === 'preferred') applied.push('trailer');
  if (applied.length > 0) headers.push('Preference-Applied', applied.join(', '));
  return headers;
}
