import { type FailedCondition, GridError, type SameValue } from '../errors.ts';

/** Thrown when another entry has a value of a unique index. */
export function notUnique(unique: SameValue, failed?: FailedCondition): GridError {
  const { holder, index, key, region, value } = unique;
  const has = value === undefined ? 'has the same value' : `has the value ${shorten(value)}`;
  const other = holder === undefined ? 'Another entry' : `Key (${holder})`;
  return new GridError(
    'grid/not-unique',
    `${other} of region (${region}) ${has} of unique index (${index}), so key (${key}) cannot`,
    { unique, hint: OTHER_VALUE, ...(failed === undefined ? {} : { failed }) },
  );
}

/** Thrown when a unique index is created and two entries have the same value. */
export function cannotBeUnique(unique: SameValue): GridError {
  const { holder, index, key, region, value } = unique;
  const both =
    holder === undefined || value === undefined
      ? 'two entries have the same value'
      : `keys (${holder}) and (${key}) both have the value ${shorten(value)}`;
  return new GridError(
    'grid/not-unique',
    `Index (${index}) of region (${region}) cannot be unique: ${both}`,
    { unique, hint: 'change one of the two entries, or create the index without unique' },
  );
}

const OTHER_VALUE = 'write another value, or change both entries in one transaction';

const LONGEST_SHOWN = 200;

function shorten(value: string): string {
  return value.length <= LONGEST_SHOWN ? value : `${value.slice(0, LONGEST_SHOWN)}…`;
}
