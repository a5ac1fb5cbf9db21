// The rules for keys and values: those of every region, and the constraints that a region adds
// (decisions: key and value constraint).

import type { RegionDefinition } from '../engine/engine.ts';
import { equalJson } from '../value/json-equal.ts';
import {
  holdsObjectsOnly,
  type JsonKind,
  kindOfJson,
  splitArray,
  splitObject,
} from '../value/json-text.ts';
import { isOneOf, KEY_CONSTRAINTS } from '../value/region-words.ts';
import { isLongerThan, utf8Length } from '../value/utf8-length.ts';
import { badKey, badValue, valueTooLarge } from './errors.ts';

/** What is done with a value; this decides which values it takes. */
export type ValueUse = 'put' | 'create' | 'replace' | 'compare-and-set';

/** Decisions: REPLACE and CAS take only objects, also in transactions and bulk loads. */
const TAKE_ARRAYS: readonly ValueUse[] = ['put', 'create'];

const NUMBER_RANGES: Readonly<Record<string, { min: bigint; max: bigint }>> = {
  Integer: { min: -(2n ** 31n), max: 2n ** 31n - 1n },
  Long: { min: -(2n ** 63n), max: 2n ** 63n - 1n },
};

/** The constraint's short name; undefined for an unknown constraint. */
export function keyConstraintName(constraint: string): string | undefined {
  const name = constraint.startsWith('java.lang.') ? constraint.slice(10) : constraint;
  return isOneOf(KEY_CONSTRAINTS, name) ? name : undefined;
}

/** Applies to every key, also to one that is only read. */
export function checkKey(key: string, maxKeyBytes: number): void {
  if (key.length === 0) throw badKey('A key must not be empty');
  if (isLongerThan(key, maxKeyBytes)) {
    throw badKey(`A key must not be longer than ${maxKeyBytes} bytes`);
  }
  if (key.includes('\0')) throw badKey('A key must not hold the NUL character');
}

export function checkKeyConstraint(key: string, region: RegionDefinition): void {
  if (region.keyConstraint === null) return;
  const range = NUMBER_RANGES[keyConstraintName(region.keyConstraint) ?? ''];
  if (range === undefined) return;
  const isNumber = /^(?:0|-?[1-9]\d{0,18})$/.test(key);
  if (!isNumber || BigInt(key) < range.min || BigInt(key) > range.max) {
    throw badKey(
      `Key (${key}) is not of type ${region.keyConstraint}, as region (${region.name}) requires`,
    );
  }
}

/** Checked before the value is parsed. */
export function checkValueLength(what: string, value: string, maxValueBytes: number): void {
  if (!isLongerThan(value, maxValueBytes)) return;
  throw valueTooLarge(what, utf8Length(value), maxValueBytes);
}

export function checkValue(value: string, use: ValueUse, region: RegionDefinition): void {
  const kind = kindOfJson(value);
  checkShape(value, kind, TAKE_ARRAYS.includes(use));
  if (region.valueConstraint === null) return;
  for (const object of kind === 'array' ? splitArray(value) : [value]) {
    checkDomainType(object, region);
  }
}

function checkShape(value: string, kind: JsonKind, takesArrays: boolean): void {
  if (kind === 'object') return;
  if (kind === 'array' && takesArrays) {
    if (holdsObjectsOnly(value)) return;
    throw badValue('An array as value must hold objects only');
  }
  const expected = takesArrays ? 'a JSON object or an array of objects' : 'a JSON object';
  throw badValue(`The value must be ${expected}, not ${kind}`);
}

function checkDomainType(object: string, region: RegionDefinition): void {
  // An escaped name is not found by a text search, hence the backslash.
  if (!object.includes('"@type"') && !object.includes('\\')) return;
  const declared = splitObject(object).get('@type');
  if (declared !== undefined && !equalJson(declared, JSON.stringify(region.valueConstraint))) {
    throw badValue(
      `@type ${declared} is not ${region.valueConstraint}, as region (${region.name}) requires`,
    );
  }
}
