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

  it('cuts long names and numbers out of its message and its hint', () => {
    const name = 'a'.repeat(60_000);
    const long = errors.regionNotFound(location, name, `Did you mean /${name}b?`);
    assert.ok(long.message.length < 1000);
    assert.match(long.message, /^Region not found: \/a+…a+ \(line 2, column 6\)$/mu);
    assert.match(long.message, /^Did you mean \/a+…a+b\?$/mu);
    assert.ok((long.hint ?? '').length < 500);
  });

  it('keeps its cause', () => {
    const cause = new Error('disk');
    assert.equal(errors.dataUnavailable(location, 'The region cannot be read', cause).cause, cause);
  });
});

describe('the constructors', () => {
  /** Every constructor of the module, or this does not compile. */
  const made = {
    syntaxError: errors.syntaxError(location, 'x'),
    notSupported: errors.notSupported(location, 'x'),
    textTooLong: errors.textTooLong(location, 1),
    nestingTooDeep: errors.nestingTooDeep(location, 1),
    chainTooLong: errors.chainTooLong(location, 1),
    tooManyPlaceholders: errors.tooManyPlaceholders(location, 1),
    tooManyParts: errors.tooManyParts(location, 1, 'source'),
    textTooHeavy: errors.textTooHeavy(location, 1),
    literalInvalid: errors.literalInvalid(location, 'x'),
    typeNotFound: errors.typeNotFound(location, 'x'),
    aggregateMisplaced: errors.aggregateMisplaced(location, 'x'),
    groupingInvalid: errors.groupingInvalid(location, 'x'),
    likePatternInvalid: errors.likePatternInvalid(location),
    likePatternTooLong: errors.likePatternTooLong(location, 1),
    regionNotFound: errors.regionNotFound(location, 'x'),
    nameAmbiguous: errors.nameAmbiguous(location, 'x', ['a', 'b']),
    nameUnresolved: errors.nameUnresolved(location, 'x', 'y'),
    fieldNotFound: errors.fieldNotFound(location, 'x'),
    methodNotFound: errors.methodNotFound(location, 'x'),
    unknownMember: errors.unknownMember(location, 'x', 'y'),
    regionNotPermitted: errors.regionNotPermitted(location, 'x', 'EMPTY'),
    parameterCount: errors.parameterCount(location, 'x'),
    parameterType: errors.parameterType(location, 'x'),
    typeMismatch: errors.typeMismatch(location, 'x'),
    functionDomain: errors.functionDomain(location, 'x'),
    divisionByZero: errors.divisionByZero(location),
    methodFailed: errors.methodFailed(location, 'x', 'y'),
    dataUnavailable: errors.dataUnavailable(location, 'x'),
    valuesNotComparable: errors.valuesNotComparable(location, 'x'),
    indexOutOfRange: errors.indexOutOfRange(location, 1, 0),
    dateInvalid: errors.dateInvalid(location, 'x'),
    rowCountInvalid: errors.rowCountInvalid(location, 'x'),
    methodNotPermitted: errors.methodNotPermitted(location, 'x'),
    resultNotCollection: errors.resultNotCollection(text),
    tooManyRows: errors.tooManyRows(location, 1),
    queryCancelled: errors.queryCancelled(text),
    queryTimeout: errors.queryTimeout(text, 1),
    lowMemory: errors.lowMemory(text),
  } satisfies Record<
    Exclude<keyof typeof errors, 'OqlError' | 'PROJECT_IT' | 'wholeQuery'>,
    OqlError
  >;

  it('make one code each, except three that make one of another', () => {
    const { chainTooLong, likePatternTooLong, textTooHeavy, ...others } = made;
    const codes = new Set(Object.values(others).map(({ code }) => code));
    assert.equal(codes.size, Object.keys(others).length);
    for (const { code } of [chainTooLong, likePatternTooLong, textTooHeavy])
      assert.ok(codes.has(code));
  });

  it('cover all ten failures', () => {
    assert.equal(new Set(Object.values(made).map(({ failure }) => failure)).size, 10);
  });

  it('fill every placeholder of the message', () => {
    for (const { message } of Object.values(made))
      assert.doesNotMatch(message, /undefined|\[object/u);
  });
});
