// Rules for the names and types of regions.

import type { RegionDefinition } from '../engine/engine.ts';
import type { RegionAlteration } from '../engine/region-settings.ts';
import { isOneOf, REGION_TYPES } from '../value/region-words.ts';
import { keyConstraintName } from './constraints.ts';
import { badRegion } from './errors.ts';
import { parseSettings, type SettingsRequest } from './region-settings.ts';

/** First path segments that mean something else on the data plane. */
const RESERVED_NAMES = new Set([
  'queries',
  'servers',
  'ping',
  'functions',
  // The OpenAPI document has its customary path.
  'openapi.json',
]);

export interface NewRegion {
  readonly name: string;
  readonly type?: string | undefined;
  readonly keyConstraint?: string | null | undefined;
  readonly valueConstraint?: string | null | undefined;
  readonly settings?: SettingsRequest | undefined;
}

/** Reserved regions of the service have a prefix that no user's region can have. */
export function isReservedRegion(name: string): boolean {
  return name.startsWith('_');
}

/** The definition of a reserved region. */
export function reservedRegion(name: string): RegionDefinition {
  return { name, type: 'REPLICATE', keyConstraint: null, valueConstraint: null };
}

/** Checks a request for a new region; throws `grid/bad-region` with the reason. */
export function toRegionDefinition(request: NewRegion): RegionDefinition {
  checkName(request.name);
  const type = (request.type ?? 'REPLICATE').toUpperCase();
  if (!isOneOf(REGION_TYPES, type)) {
    throw badRegion(`Region type (${request.type}) must be one of ${REGION_TYPES.join(', ')}`);
  }
  const keyConstraint = request.keyConstraint ?? null;
  if (keyConstraint !== null && keyConstraintName(keyConstraint) === undefined) {
    throw badRegion(
      `Key constraint (${keyConstraint}) must be one of java.lang.String, java.lang.Integer, java.lang.Long`,
    );
  }
  // No `@type` is empty.
  if (request.valueConstraint === '') throw badRegion('A value constraint must not be empty');
  const settings = parseSettings(request.settings ?? {});
  if (type === 'EMPTY') refuseSettings(settings);
  return {
    name: request.name,
    type,
    keyConstraint,
    valueConstraint: request.valueConstraint ?? null,
    ...settings,
  };
}

/** Refuses settings of entries for an EMPTY region, which stores none. */
export function refuseSettings(settings: RegionAlteration): void {
  if (Object.values(settings).every((setting) => setting == null)) return;
  throw badRegion('A region of type EMPTY keeps no entries, so it has no history and no ttl');
}

function checkName(name: string): void {
  if (name.length < 1 || name.length > 255) {
    throw badRegion('A region name must have 1 to 255 characters');
  }
  if (!/^[A-Za-z0-9_.-]+$/.test(name)) {
    throw badRegion(`Region name (${name}) may hold letters, digits, '-', '_' and '.' only`);
  }
  // A client resolves such a path segment before it sends the request.
  if (name === '.' || name === '..') throw badRegion(`Region name (${name}) is reserved`);
  if (isReservedRegion(name)) {
    throw badRegion(`Region name (${name}) must not begin with '_'`);
  }
  if (RESERVED_NAMES.has(name)) {
    throw badRegion(`Region name (${name}) is reserved`);
  }
}
