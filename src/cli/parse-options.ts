// Parses the flags of a command that has few. All problems are collected, so that a user who
// mistyped two flags sees both.

import { suggestName } from '../config/suggest-name.ts';
import { refuseUsage } from './print-errors.ts';
import {
  findKind,
  findValueProblem,
  type GivenOption,
  type OptionNames,
  readArguments,
} from './read-arguments.ts';
import type { Terminal } from './terminal.ts';

export interface Options {
  value(name: string): string | undefined;
  has(name: string): boolean;
}

/** Prints every problem, and returns undefined when there is one. */
export function parseOptions(
  args: readonly string[],
  names: OptionNames,
  terminal: Terminal,
): Options | undefined {
  const { extra, options } = readArguments(args, names);
  const values = new Map<string, string | undefined>();
  const problems: string[] = [];
  for (const option of options) {
    const problem = findProblem(option, names) ?? findRepetition(option.name, values);
    if (problem !== undefined) problems.push(problem);
    values.set(option.name, option.value);
  }
  // The argument after an unknown flag is probably its value; one error is enough.
  if (problems.length === 0 && extra !== undefined) problems.push(`unexpected argument ${extra}`);
  if (problems.length > 0) {
    refuseUsage(terminal, problems);
    return undefined;
  }
  return { value: (name) => values.get(name), has: (name) => values.has(name) };
}

function findProblem(option: GivenOption, names: OptionNames): string | undefined {
  const kind = findKind(option, names);
  if (kind === 'value' && option.value === '') return `${option.rawName} needs a value`;
  if (kind !== undefined) return findValueProblem(option, kind);
  const known = Object.keys(names).map((name) => `--${name}`);
  return `unknown flag ${option.rawName}${suggestName(option.rawName, known)}`;
}

function findRepetition(
  name: string,
  values: ReadonlyMap<string, string | undefined>,
): string | undefined {
  return values.has(name) ? `--${name} is given twice` : undefined;
}
