import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { MAX_DURATION_MS, parseDuration, printDuration } from './duration.ts';

describe('a duration', () => {
  const cases: readonly (readonly [string, number | undefined])[] = [
    ['90', 90_000],
    ['0.25', 250],
    ['PT24H', 86_400_000],
    ['PT1M30S', 90_000],
    ['P1D', 86_400_000],
    ['P1W', 604_800_000],
    ['P1Y2M3DT4H5M6S', (365 + 60 + 3) * 86_400_000 + 4 * 3_600_000 + 306_000],
    ['PT0.5S', 500],
    ['PT1,5H', 5_400_000],
    ['P0.5D', 43_200_000],
    ['P1000Y', 365_000 * 86_400_000],
    ['0', undefined],
    ['PT0S', undefined],
    ['', undefined],
    ['P', undefined],
    ['PT', undefined],
    ['P1DT', undefined],
    ['1h', undefined],
    ['-5', undefined],
    ['-PT5S', undefined],
    ['pt5s', undefined],
    ['PT1S1M', undefined],
    ['PT1M1M', undefined],
    ['P1H', undefined],
    ['PT1.5H1S', undefined],
    ['P2000Y', undefined],
    ['1e3', undefined],
    [' 5', undefined],
    ['999999999999999', undefined],
  ];
  for (const [text, expected] of cases) {
    it(`of '${text}' is ${expected === undefined ? 'refused' : `${expected} ms`}`, () => {
      assert.equal(parseDuration(text), expected);
    });
  }

  it('is read back as it was printed', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: MAX_DURATION_MS }), (ms) => {
        assert.equal(parseDuration(printDuration(ms)), ms);
      }),
    );
  });
});
