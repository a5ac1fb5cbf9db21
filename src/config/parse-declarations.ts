// The `regions:` and `queries:` parts of the config file. Structure and keywords are checked here;
// the grid checks names and expressions when it creates them.

import { INDEX_KINDS, INDEX_MEMBERS, REGION_MEMBERS, REGION_TYPES } from '../value/region-words.ts';
import type { DeclaredIndex, DeclaredQuery, DeclaredRegion } from './config.ts';
import {
  type DeclaredFields,
  FieldReader,
  isRecord,
  parseEach,
  type ReportProblem,
  reportRepeats,
} from './declared-fields.ts';

const DECLARED_MEMBERS = [...REGION_MEMBERS, 'indexes'];

export function parseRegions(plain: unknown, report: ReportProblem): readonly DeclaredRegion[] {
  const regions = parseEach(plain, 'regions', report, parseRegion);
  reportRepeats('region', regions, report);
  return regions;
}

/** A map from id to query text. */
export function parseQueries(plain: unknown, report: ReportProblem): readonly DeclaredQuery[] {
  if (Array.isArray(plain) && plain.length === 0) return [];
  if (!isRecord(plain)) {
    report('queries must be a map from query id to OQL text');
    return [];
  }
  return Object.entries(plain).flatMap(([id, oql]) => {
    if (typeof oql === 'string' && oql.trim() !== '') return [{ id, oql: oql.trim() }];
    report(`queries.${id} must be an OQL text`);
    return [];
  });
}

function parseRegion(
  plain: DeclaredFields,
  where: string,
  report: ReportProblem,
): DeclaredRegion | undefined {
  const fields = new FieldReader(plain, where, DECLARED_MEMBERS, report);
  const name = fields.text('name');
  const type = fields.word('type', REGION_TYPES, 'REPLICATE');
  const keyConstraint = fields.optionalText('key-constraint') ?? null;
  const valueConstraint = fields.optionalText('value-constraint') ?? null;
  const indexes = parseEach(plain['indexes'] ?? [], `${where}.indexes`, report, parseIndex);
  reportRepeats('index', indexes, report);
  if (name === undefined) return undefined;
  return { name, type, keyConstraint, valueConstraint, ...parseSettings(plain), indexes };
}

/** The grid checks the contents, as for a request. */
function parseSettings(plain: DeclaredFields): Pick<DeclaredRegion, 'settings'> {
  const settings = {
    history: plain['history'],
    entryTtl: plain['entry-ttl'],
    maxTtl: plain['max-ttl'],
  };
  return Object.values(settings).every((setting) => setting == null) ? {} : { settings };
}

function parseIndex(
  plain: DeclaredFields,
  where: string,
  report: ReportProblem,
): DeclaredIndex | undefined {
  const fields = new FieldReader(plain, where, INDEX_MEMBERS, report);
  const name = fields.text('name');
  const expression = fields.text('expression');
  const from = fields.optionalText('from');
  const kind = fields.word('kind', INDEX_KINDS, 'range');
  const unique = fields.optionalFlag('unique');
  if (name === undefined || expression === undefined) return undefined;
  return {
    name,
    expression,
    kind,
    ...(from === undefined ? {} : { from }),
    ...(unique === undefined ? {} : { unique }),
  };
}
