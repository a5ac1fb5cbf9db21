// Every family of bad input, in the order of the table in docs/reliability.md.

import { openApiRequests } from '../openapi/requests.ts';
import { brokenTexts } from '../oql/broken-texts.ts';
import { queryLaws } from '../oql/query-laws.ts';
import { vectorReference } from '../oql/vector-reference.ts';
import { bindParameters } from './bind-parameters.ts';
import type { Family } from './family.ts';
import { jsonBodies } from './json-bodies.ts';
import { keys } from './keys.ts';
import { model } from './model.ts';
import { rawHttp } from './raw-http.ts';

export const FAMILIES: readonly Family[] = [
  jsonBodies,
  keys,
  rawHttp,
  vectorReference,
  brokenTexts,
  queryLaws,
  bindParameters,
  openApiRequests,
  model,
];
