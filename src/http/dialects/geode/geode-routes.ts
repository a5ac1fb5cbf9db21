// The routes of the developer REST API of Apache Geode 1.15, below a root.

import type { AnswerIntent } from '../../handlers/handler.ts';
import { ping } from '../../handlers/members.ts';
import { deleteQuery } from '../../handlers/queries.ts';
import type { GuardedIntent } from '../../intent/intent.ts';
import { fixed } from '../../intent/parse-service.ts';
import type { Parse } from '../../request/routed-request.ts';
import type { Method } from '../../router.ts';
import type { DialectRoute } from '../dialect.ts';
import { addEntry, readEntries, removeEntries, writeEntries } from './answer-entries.ts';
import {
  createQuery,
  listQueries,
  runAdhocQuery,
  runNamedQuery,
  updateQuery,
} from './answer-queries.ts';
import { clearRegion, countRegion, listKeys, listRegions, readRegion } from './answer-regions.ts';
import { listFunctions, listServers, runFunction } from './answer-service.ts';
import { geodeDialect } from './geode-dialect.ts';
import {
  acceptingJson,
  ofRegion,
  parseAddEntry,
  parseDeleteEntries,
  parseDeleteKeyNamedKeys,
  parseDeleteRegion,
  parsePutByParameter,
  parsePutEntries,
  parsePutKeyNamedKeys,
  parseReadEntries,
  parseReadRegion,
} from './parse-entries.ts';
import {
  parseCreateQuery,
  parseDeleteQuery,
  parseRunAdhocQuery,
  parseRunFunction,
  parseRunNamedQuery,
  parseUpdateQuery,
} from './parse-queries.ts';

const readRegionOrEntries: AnswerIntent<ReturnType<typeof parseReadRegion>> = (intent, ...rest) =>
  intent.kind === 'read-region' ? readRegion(intent, ...rest) : readEntries(intent, ...rest);

const clearRegionOrEntries: AnswerIntent<ReturnType<typeof parseDeleteRegion>> = (
  intent,
  ...rest
) =>
  intent.kind === 'clear-region' ? clearRegion(intent, ...rest) : removeEntries(intent, ...rest);

type RouteRow = Omit<DialectRoute, 'access' | 'dialect'>;

/** Keeps parser and answer of a row on one type of intent. */
function row<I extends GuardedIntent>(
  method: Method,
  path: string,
  parse: Parse<I>,
  answer: AnswerIntent<I>,
  always?: true,
): RouteRow {
  // The answer function receives only intents that the parser of its own row made.
  const erased = answer as AnswerIntent<GuardedIntent>;
  return { method, path, parse, answer: erased, ...(always === undefined ? {} : { always }) };
}

// biome-ignore format: a table reads best as one
const rows: readonly RouteRow[] = [
  row('GET',    '',                    acceptingJson(fixed({ kind: 'list-regions' })),    listRegions),
  row('GET',    '/ping',               fixed({ kind: 'ping' }),                           ping, true),
  row('GET',    '/servers',            acceptingJson(fixed({ kind: 'list-servers' })),    listServers),
  row('GET',    '/{region}',           acceptingJson(parseReadRegion),                    readRegionOrEntries),
  row('HEAD',   '/{region}',           acceptingJson(ofRegion('count-region')),           countRegion),
  row('POST',   '/{region}',           parseAddEntry,                                     addEntry),
  row('PUT',    '/{region}',           parsePutByParameter,                               writeEntries),
  row('DELETE', '/{region}',           parseDeleteRegion,                                 clearRegionOrEntries),
  row('GET',    '/{region}/keys',      acceptingJson(ofRegion('list-keys')),              listKeys),
  row('PUT',    '/{region}/keys',      parsePutKeyNamedKeys,                              writeEntries),
  row('DELETE', '/{region}/keys',      acceptingJson(parseDeleteKeyNamedKeys),            removeEntries),
  row('GET',    '/{region}/{keys}',    acceptingJson(parseReadEntries),                   readEntries),
  row('PUT',    '/{region}/{keys}',    parsePutEntries,                                   writeEntries),
  row('DELETE', '/{region}/{keys}',    acceptingJson(parseDeleteEntries),                 removeEntries),
  row('GET',    '/queries',            acceptingJson(fixed({ kind: 'list-queries' })),    listQueries),
  row('POST',   '/queries',            parseCreateQuery,                                  createQuery),
  row('GET',    '/queries/adhoc',      acceptingJson(parseRunAdhocQuery),                 runAdhocQuery),
  row('POST',   '/queries/adhoc',      acceptingJson(parseRunNamedQuery),                 runNamedQuery),
  row('PUT',    '/queries/adhoc',      parseUpdateQuery,                                  updateQuery),
  row('DELETE', '/queries/adhoc',      parseDeleteQuery,                                  deleteQuery),
  row('POST',   '/queries/{queryId}',  acceptingJson(parseRunNamedQuery),                 runNamedQuery),
  row('PUT',    '/queries/{queryId}',  parseUpdateQuery,                                  updateQuery),
  row('DELETE', '/queries/{queryId}',  parseDeleteQuery,                                  deleteQuery),
  row('GET',    '/functions',          acceptingJson(fixed({ kind: 'list-functions' })),  listFunctions),
  row('POST',   '/functions/{id}',     acceptingJson(parseRunFunction),                   runFunction),
];

/** The same table below any root, such as `/geode/v1`. */
export function geodeRoutes(root: string): readonly DialectRoute[] {
  return rows.map((routeRow) => ({
    ...routeRow,
    path: root + routeRow.path,
    access: 'guarded',
    dialect: geodeDialect,
  }));
}
