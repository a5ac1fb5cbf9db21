// The OpenAPI document, and a page that shows it.

import { pathNotFound } from '../errors.ts';
import { jsonResponse } from '../response/api-response.ts';
import { staticFileResponse } from '../response/static-file.ts';
import type { Handler } from './handler.ts';

export const readOpenApi: Handler<'read-openapi'> = (_intent, { origin }, { printOpenApi }) =>
  jsonResponse(printOpenApi(origin));

export const readDocsFile: Handler<'read-docs-file'> = async (intent, _request, api) => {
  const file = await api.documentation.find(intent.name);
  if (file === undefined) throw pathNotFound(`/docs/${intent.name}`);
  return staticFileResponse(file, { caching: 'revalidate', ifNoneMatch: intent.ifNoneMatch });
};
