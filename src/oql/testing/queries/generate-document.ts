// Random documents. They match generated queries well enough for queries to find rows, and badly
// enough for every kind of value to occur everywhere.

import type { Choices } from './choices.ts';

/**
 * Mostly numbers in `n`, strings in `s` and so on; sometimes any value in any member. In tidy data,
 * like most real data, a member has one type, or is null or missing.
 */
export function generateDocument(choices: Choices, data: 'tidy' | 'any' = 'any'): string {
  const isTidy = data === 'tidy';
  if (!isTidy && choices.chance(2)) return choices.of('null', '1', '"x"', '[1,2]', 'true');
  const members: string[] = [];
  const add = (name: string, make: () => string): void => {
    if (choices.chance(8)) return;
    const isOdd = choices.chance(4);
    members.push(`"${name}":${isOdd ? (isTidy ? 'null' : anything(choices)) : make()}`);
  };
  add('n', () => String(choices.below(7) - 1));
  add('m', () => choices.of('1', '2', '2.0', '2.5', '10', '0', '1.50', '3e0'));
  add('d', () => choices.of('0.5', '1.25', '100.75', '-3.5', '2.0', '7'));
  add('s', () => word(choices));
  add('t', () => word(choices));
  add('b', () => choices.of('true', 'false'));
  add('o', () => `{"x":${choices.below(4)},"y":${word(choices)}}`);
  add('items', () => `[${choices.chance(15) ? '' : choices.some(3, () => item(choices)).join()}]`);
  add('tags', () => `[${choices.some(3, () => word(choices)).join()}]`);
  add('at', () => timestamp(choices));
  return `{${members.join()}}`;
}

function item(choices: Choices): string {
  if (choices.chance(4)) return anything(choices);
  const parts = choices.some(2, () => `{"w":${choices.below(3)}}`).join();
  return `{"sku":${word(choices)},"q":${choices.below(5)},"parts":[${parts}]}`;
}

function word(choices: Choices): string {
  return choices.of('"a"', '"ab"', '"abc"', '"b"', '"B"', '""', '"a_b"', '"\\u00e9"', '"50%"');
}

/** Texts with a date, with several spellings of the same time. */
function timestamp(choices: Choices): string {
  return choices.of(
    '"2024-01-01"',
    '"2024-02-29T10:00:00Z"',
    '"2024-02-29T11:00:00+01:00"',
    '"2023-12-31T23:59:59.5Z"',
    '"2025-06-15 08:30"',
  );
}

function anything(choices: Choices): string {
  const values = ['null', 'true', '3', '2.0', '"a"', '[]', '[1]', '{}', '{"x":1}', '-0', '-0.0'];
  return choices.of(
    ...values,
    '9007199254740993',
    '1e400',
    '"\\ud83d\\ude00"',
    '12345678901234567',
  );
}
