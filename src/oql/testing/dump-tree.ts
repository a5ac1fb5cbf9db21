// Prints a syntax tree as indented text, for golden scripts: kind and scalar members on a line, the
// children below it. Spans are omitted, because they would hide the essence of a change.

import { OqlError } from '../errors.ts';
import type { Expression, Program } from '../syntax/ast.ts';

export function dumpProgram(program: Program): string {
  const imports = program.imports.map(
    ({ path, alias }) => `import ${path.join('.')}${alias === undefined ? '' : ` as ${alias}`}`,
  );
  return [...(program.trace ? ['trace'] : []), ...imports, dumpNode(program.query, 0)].join('\n');
}

/** Prints an OqlError; throws any other error again. */
export function dumpError(error: unknown): string {
  if (!(error instanceof OqlError)) throw error;
  const { line, column } = error.position;
  return `${error.code} (${error.failure}) at ${line}:${column}\n${error.message}`;
}

const HIDDEN = new Set(['kind', 'span', 'nameSpan', 'nameStart', 'value']);

function dumpNode(node: object, depth: number): string {
  const facts: string[] = [];
  const parts: string[] = [];
  for (const [name, value] of Object.entries(node)) {
    if (isPart(value)) parts.push(`${indent(depth + 1)}${name}: ${dumpNode(value, depth + 1)}`);
    else if (isPartList(value)) parts.push(...dumpList(name, value, depth + 1));
    else if (!HIDDEN.has(name)) facts.push(...dumpFact(name, value));
  }
  const kind = ['kind' in node ? String(node.kind) : 'branch'];
  return [[...kind, ...facts].join(' '), ...parts].join('\n');
}

function dumpList(name: string, list: readonly object[], depth: number): readonly string[] {
  if (list.length === 0) return [];
  const items = list.map((item) => `${indent(depth + 1)}- ${dumpNode(item, depth + 1)}`);
  return [`${indent(depth)}${name}`, ...items];
}

function dumpFact(name: string, value: unknown): readonly string[] {
  if (value === undefined || value === false || (Array.isArray(value) && value.length === 0)) {
    return [];
  }
  return [value === true ? name : `${name}=${JSON.stringify(value)}`];
}

function isPart(value: unknown): value is Expression {
  return typeof value === 'object' && value !== null && 'kind' in value && 'span' in value;
}

function isPartList(value: unknown): value is readonly object[] {
  return Array.isArray(value) && value.some((item) => typeof item === 'object');
}

function indent(depth: number): string {
  return '  '.repeat(depth);
}
