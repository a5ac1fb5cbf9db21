import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Location, OqlError } from './errors.ts';
import * as errors from './errors.ts';

const text = 'SELECT *\nFROM /ordres';
const location: Location = { text, span: { start: 14, end: 21 } };

describe('an OqlError', () => {
  const error = errors.regionNotFound(location, 'ordres', 'Did you mean /orders?');

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
    assert.equal(errors.dataUnavailable(location, 'The region cannot be read', cause).cause, cause);
  });
});

describe('the constructors', () => {
  const made: readonly OqlError[] = [
    errors.syntaxError(location, 'x'),
    errors.notSupported(location, 'x'),
    errors.textTooLong(location, 1),
    errors.nestingTooDeep(location, 1),
    errors.tooManyPlaceholders(location, 1),
    errors.literalInvalid(location, 'x'),
    errors.typeNotFound(location, 'x'),
    errors.aggregateMisplaced(location, 'x'),
    errors.groupingInvalid(location, 'x'),
    errors.likePatternInvalid(location),
    errors.regionNotFound(location, 'x'),
    errors.nameAmbiguous(location, 'x', ['a', 'b']),
    errors.nameUnresolved(location, 'x', 'y'),
    errors.fieldNotFound(location, 'x'),
    errors.regionNotPermitted(location, 'x', 'EMPTY'),
    errors.parameterCount(location, 'x'),
    errors.parameterType(location, 'x'),
    errors.typeMismatch(location, 'x'),
    errors.functionDomain(location, 'x'),
    errors.divisionByZero(location),
    errors.methodFailed(location, 'x', 'y'),
    errors.dataUnavailable(location, 'x'),
    errors.valuesNotComparable(location, 'x'),
    errors.indexOutOfRange(location, 1, 0),
    errors.dateInvalid(location, 'x'),
    errors.rowCountInvalid(location, 'x'),
    errors.methodNotPermitted(location, 'x'),
    errors.resultNotCollection(text),
    errors.tooManyRows(location, 1),
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
