// The service describes itself: the OpenAPI document.

import { jsonResponse } from '../response/api-response.ts';
import type { Handler } from './handler.ts';

export const readOpenApi: Handler = (_request, { printOpenApi }) => jsonResponse(printOpenApi());
