import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { OqlError, Place } from './errors.ts';
import * as errors from './errors.ts';

const text = 'SELECT *\nFROM /ordres';
const place: Place = { text, span: { start: 14, end: 21 } };

describe('an OqlError', () => {
  const error = errors.regionNotFound(place, 'ordres', 'Did you mean /orders?');

  it('has a position with offset, line and column', () => {
    assert.deepEqual(error.position, { offset: 14, line: 2, column: 6 });
  });

  it('draws the position in its message and ends with the hint', () => {
    assert.equal(
      error.message,
      [
        'Region not found: /ordres (line 2, column 6)',
        'FROM /ordres',
        '     ^',
        'Did you mean /orders?',
      ].join('\n'),
    );
    assert.equal(error.hint, 'Did you mean /orders?');
  });

  it('belongs to one of the failures of the specification', () => {
    assert.equal(error.failure, 'name-resolution');
  });

  it('keeps its cause', () => {
    const cause = new Error('disk');
    assert.equal(errors.dataUnavailable(place, 'The region cannot be read', cause).cause, cause);
  });
});

describe('the constructors', () => {
  const made: readonly OqlError[] = [
    errors.syntaxError(place, 'x'),
    errors.notSupported(place, 'x'),
    errors.textTooLong(place, 1),
    errors.nestingTooDeep(place, 1),
    errors.tooManyPlaceholders(place, 1),
    errors.literalInvalid(place, 'x'),
    errors.typeNotFound(place, 'x'),
    errors.aggregateMisplaced(place, 'x'),
    errors.groupingInvalid(place, 'x'),
    errors.likePatternInvalid(place),
    errors.regionNotFound(place, 'x'),
    errors.nameAmbiguous(place, 'x', ['a', 'b']),
    errors.nameUnresolved(place, 'x', 'y'),
    errors.fieldNotFound(place, 'x'),
    errors.regionNotPermitted(place, 'x', 'EMPTY'),
    errors.parameterCount(place, 'x'),
    errors.parameterType(place, 'x'),
    errors.typeMismatch(place, 'x'),
    errors.functionDomain(place, 'x'),
    errors.divisionByZero(place),
    errors.methodFailed(place, 'x', 'y'),
    errors.dataUnavailable(place, 'x'),
    errors.valuesNotComparable(place, 'x'),
    errors.indexOutOfRange(place, 1, 0),
    errors.dateInvalid(place, 'x'),
    errors.rowCountInvalid(place, 'x'),
    errors.methodNotPermitted(place, 'x'),
    errors.resultNotCollection(text),
    errors.tooManyRows(place, 1),
    errors.queryCancelled(text),
    errors.queryTimeout(text, 1),
    errors.lowMemory(text),
  ];

  it('make one code each', () => {
    assert.equal(new Set(made.map(({ code }) => code)).size, made.length);
  });

  it('cover all ten failures', () => {
    assert.equal(new Set(made.map(({ failure }) => failure)).size, 10);
  });

  it('fill every placeholder of the message', () => {
    for (const { message } of made) assert.doesNotMatch(message, /undefined|\[object/u);
  });
});
