// Rows for the reference evaluator: documents built from columns, with only the members that the
// query reads. These have exactly the values of the stored documents.

import { Document, UNDEFINED, type Value } from '../../../../value/value.ts';
import type { ColumnShape } from '../../../columnar/shape.ts';
import type { Environment } from '../../../reference/environment.ts';
import type { Frame } from './frame.ts';

class Template {
  columnNumber: number | undefined;
  readonly children = new Map<string, Template>();
}

export class RowBuilder {
  readonly #templates: readonly Template[];
  readonly #rows: Value[] = [];

  constructor(columns: readonly ColumnShape[], iteratorCount: number) {
    this.#templates = Array.from({ length: iteratorCount }, (_, iterator) =>
      buildTemplate(columns, iterator),
    );
  }

  /** Sets the rows of the environment to those at `index` of the frame. */
  enter(environment: Environment, depth: number, frame: Frame, index: number): void {
    const rows = this.#rows;
    for (let iterator = 0; iterator < frame.locators.length; iterator += 1) {
      const template = this.#templates[iterator];
      const value = template && build(template, frame, index);
      rows[iterator] = value === undefined || value === UNDEFINED ? EMPTY : value;
    }
    environment.rows[depth] = rows;
  }
}

const EMPTY = new Document(new Map());

function buildTemplate(columns: readonly ColumnShape[], iterator: number): Template {
  const root = new Template();
  columns.forEach((column, index) => {
    if (column.iterator !== iterator) return;
    let node = root;
    for (const name of column.members) {
      const child = node.children.get(name) ?? new Template();
      node.children.set(name, child);
      node = child;
    }
    node.columnNumber = index;
  });
  return root;
}

/** A value that is read whole includes its members. UNDEFINED for a missing member. */
function build(template: Template, frame: Frame, index: number): Value {
  if (template.columnNumber !== undefined) return frame.value(template.columnNumber, index);
  const members = new Map<string, Value>();
  for (const [name, child] of template.children) {
    const value = build(child, frame, index);
    if (value !== UNDEFINED) members.set(name, value);
  }
  return members.size === 0 ? UNDEFINED : new Document(members);
}
