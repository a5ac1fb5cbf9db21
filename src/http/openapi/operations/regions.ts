// Descriptions: regions as a list, as pages, as keys, as a number.

import {
  empty,
  type HeaderName,
  json,
  type Operations,
  type ParameterDescription,
  REASONS,
  ref,
  withLines,
  withTag,
} from '../description.ts';
import {
  elementParameters,
  limitOfKeys,
  limitParameter,
  pageParameters,
} from '../page-parameters.ts';
import {
  atParameter,
  idempotencyKey,
  ifMatch,
  ifNoneMatch,
  ifNoneMatchRead,
  ignoreMissingKey,
  keysParameter,
} from '../parameters.ts';
import { list, text } from '../schema-parts.ts';

const PAGE_HEADERS: readonly HeaderName[] = ['Link', 'Preference-Applied', 'Resource-Count'];
/** With `keys`. */
const ENTRY_HEADERS: readonly HeaderName[] = ['Content-Location', 'ETag', 'Expires'];
const unchanged = empty('With `keys` and `If-None-Match`: nothing has changed.', [
  'Content-Location',
  'ETag',
]);
/** Of `where`. */
const CONDITION_ERRORS = {
  422: '`where` cannot be applied to an entry, which `entry` names.',
  504: '`where` took too long before anything was read.',
};

export const regionOperations: Operations = withTag('Regions', {
  listRegions: {
    summary: 'List regions',
    answers: {
      200: json('All regions, by name.', list('regions', ref('Region')), {
        headers: ['Location'],
        example: {
          regions: [
            { name: 'items', type: 'REPLICATE', 'key-constraint': null, 'value-constraint': null },
          ],
        },
      }),
    },
    errors: { 404: 'There are no regions.' },
  },
  readRegion: {
    summary: 'Read the entries of a region',
    description:
      'The values in key order, 50 by default (`limit`). Any number ' +
      'is streamed. Bounds, order, a condition and a cursor make it a read in pages: `Link` with ' +
      '`rel="next"` leads to the next page when there is more. With `keys`, the entries of these ' +
      'keys, as with keys in the path.',
    parameters: [
      limitParameter,
      ...pageParameters,
      ...elementParameters,
      keysParameter,
      ignoreMissingKey,
      onlyWithKeys(ifNoneMatchRead),
      atParameter,
    ],
    answers: {
      200: withLines(
        json('The values.', ref('RegionData'), {
          headers: [...ENTRY_HEADERS, ...PAGE_HEADERS],
          example: { items: [{ '@type': 'example.shop.CatalogueItem', sku: 'SKU-0001' }] },
        }),
      ),
      304: unchanged,
    },
    errors: {
      400: {
        description: 'A parameter is invalid, or keys do not exist (then the body is a string).',
        schema: { anyOf: [{ type: 'string' }, ref('Error')] },
      },
      404: REASONS.noRegion,
      410: REASONS.momentGone,
      ...CONDITION_ERRORS,
    },
  },
  countRegion: {
    summary: 'Count the entries of a region',
    description:
      'With page parameters, the head of that page; with `keys`, of the read of these keys.',
    parameters: [onlyWithKeys(ifNoneMatchRead), atParameter],
    answers: {
      200: {
        description: 'The size is in a header.',
        headers: [...ENTRY_HEADERS, ...PAGE_HEADERS],
        // HEAD has no body, but a type: generated clients put the types of an answer into `Accept`.
        content: { 'application/json; charset=utf-8': {} },
      },
      304: unchanged,
    },
    errors: {
      400: 'The entries could not be counted.',
      404: REASONS.noRegion,
      410: REASONS.momentGone,
      ...CONDITION_ERRORS,
    },
  },
  listKeys: {
    summary: 'List the keys of a region',
    description: 'All keys in order, streamed; or a page of them. Has no HEAD.',
    parameters: [limitOfKeys, ...pageParameters, atParameter],
    answers: {
      200: withLines(
        json('The keys.', list('keys', text), {
          headers: ['Location', ...PAGE_HEADERS],
          example: { keys: ['SKU-0001', 'SKU-0002'] },
        }),
      ),
    },
    errors: { 404: REASONS.noRegion, 410: REASONS.momentGone, ...CONDITION_ERRORS },
  },
  clearRegion: {
    summary: 'Remove all entries of a region, or those with the given keys',
    description: 'The region stays. With `keys`, all of them are removed, or none.',
    parameters: [keysParameter, ...[ifMatch, ifNoneMatch, idempotencyKey].map(onlyWithKeys)],
    answers: { 200: empty('The entries are gone.', ['Idempotent-Replayed']) },
    errors: {
      404: 'The region, or one of the keys, does not exist.',
      409: REASONS.keyInUse,
      412: REASONS.preconditionFailed,
      422: REASONS.keyReused,
    },
  },
});

function onlyWithKeys(parameter: ParameterDescription): ParameterDescription {
  return { ...parameter, description: `${parameter.description} Only with \`keys\`.` };
}
